// What the index is made with and must be read with.
export const FIELDS = {
  fields: ["title", "page", "text"],
  storeFields: ["title", "page", "excerpt"],
  searchOptions: { boost: { title: 4, page: 2 }, prefix: true, fuzzy: 0.15, combineWith: "AND" },
};
