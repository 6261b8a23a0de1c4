// Dark and light: the system's preference, until the user chooses.
export interface Theme {
  dark: boolean;
  background: string;
  ground: string;
  grid: string;
  text: string;
  faint: string;
  line: string;
  accent: string;
  stick: string;
  slide: string;
  slideInk: string; // of thin lines and letters
  takeoff: string;
}

const LIGHT: Theme = {
  dark: false,
  background: "#eef0f3",
  ground: "#dde0e5",
  grid: "#aab1bb",
  text: "#1d232b",
  faint: "#5c6672",
  line: "#c5cad2",
  accent: "#0b6bcb",
  stick: "#1f6fd6",
  slide: "#e07b10",
  slideInk: "#a85400",
  takeoff: "#7d8590",
};

const DARK: Theme = {
  dark: true,
  background: "#14171c",
  ground: "#22272e",
  grid: "#454d58",
  text: "#e6eaf0",
  faint: "#9aa4b1",
  line: "#3a414b",
  accent: "#5aa9ff",
  stick: "#4d9bff",
  slide: "#ff9d3c",
  slideInk: "#ff9d3c",
  takeoff: "#98a0aa",
};

export class Themes {
  private chosen: boolean | null = null;
  private readonly system = window.matchMedia("(prefers-color-scheme: dark)");

  constructor(private readonly changed: (theme: Theme) => void) {
    const kept = storage()?.getItem("capstan-theme");
    if (kept === "dark" || kept === "light") this.chosen = kept === "dark";
    this.system.addEventListener("change", () => this.apply());
  }

  get current(): Theme {
    return (this.chosen ?? this.system.matches) ? DARK : LIGHT;
  }

  toggle(): void {
    this.chosen = !this.current.dark;
    storage()?.setItem("capstan-theme", this.chosen ? "dark" : "light");
    this.apply();
  }

  apply(): void {
    document.documentElement.dataset["theme"] = this.current.dark ? "dark" : "light";
    this.changed(this.current);
  }
}

function storage(): Storage | null {
  try {
    return window.localStorage;
  } catch {
    return null; // switched off by the reader: the choice lasts as long as the page
  }
}
