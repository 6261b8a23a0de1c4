// Options of the search index, needed to build it and to read it.
export const FIELDS = {
  fields: ["title", "page", "text"],
  storeFields: ["title", "page", "excerpt"],
  searchOptions: {
    boost: { title: 4, page: 2 },
    // a short word would begin many others; the last one may still be being typed
    prefix: (term, i, terms) => i === terms.length - 1 || term.length > 3,
    fuzzy: (term) => (term.length > 4 ? 0.15 : false),
    weights: { prefix: 0.5, fuzzy: 0.2 },
    combineWith: "AND",
  },
};
