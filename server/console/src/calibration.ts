// Parses the HTML report of gsar-calibrate. Only text is taken from it; figures are shown as images, which run no scripts.

/** The measures, as described in docs/CALIBRATION.md. */
export const MEASURES = [
  { name: "M1 proceed", is: "The number of rows that proceed." },
  { name: "M2 replans", is: "Replans per row that proceeds." },
  { name: "M3 Spearman", is: "How well the score ranks rows like people do: 1 is the same order, 0 is chance. Spearman's correlation of the score with the share of a row's claims that people call grounded or complementary." },
  { name: "M4 caught", is: "The share of claims counted as contradicted among those that people call contradicted." },
  { name: "M5 kept", is: "The share of claims counted as complementary among those that people call complementary. If people call none so, among those that they call ungrounded." },
  { name: "wrong of proceeds", is: "The share of rows with a claim that people call ungrounded or contradicted, among those that proceed." },
  { name: "recall", is: "The share of claims counted in a class among those that people put there." },
  { name: "precision", is: "The share of claims that people put into a class among those counted in it. Undecided claims count as ungrounded." },
] as const;

export interface Table {
  head: string[];
  rows: string[][];
}

export interface Section {
  title: string;
  caption: string;
  /** The figure as the URL of an image; undefined for a section with only a table. */
  image: string | undefined;
  table: Table | undefined;
}

export interface Report {
  summary: string;
  /** Findings of the audit. */
  objections: string[];
  sections: Section[];
}

/** Parses a page; returns undefined if it is not a report of gsar-calibrate. */
export function reportOf(html: string): Report | undefined {
  // DOMParser runs no scripts and loads nothing. The style is for figures only, as text.
  const [element, style = ""] = /<style>([\s\S]*?)<\/style>/.exec(html) ?? [];
  const page = new DOMParser().parseFromString(element ? html.replace(element, "") : html, "text/html");
  const main = page.querySelector("main");
  if (!main || !page.title.startsWith("GSAR: evaluation")) return undefined;
  const tables = [...main.children].flatMap((element, at, all) => {
    const next = all[at + 1]?.querySelector("table");
    return element.localName === "h2" && next
      ? [{ title: text(element), caption: "", image: undefined, table: tableOf(next) }]
      : [];
  });
  const figures = [...main.querySelectorAll("section")].map((section) => ({
    title: text(section.querySelector("h2")),
    caption: text(section.querySelector("p")),
    image: imageOf(section.querySelector("svg"), style),
    table: tableOf(section.querySelector("table")),
  }));
  return {
    summary: text(main.querySelector("h1 + p")),
    objections: [...main.querySelectorAll(".failed li")].map(text),
    sections: [...tables, ...figures],
  };
}

function text(element: Element | null): string {
  return element?.textContent?.trim() ?? "";
}

function tableOf(table: Element | null): Table | undefined {
  if (!table) return undefined;
  const cells = (row: Element) => [...row.children].map(text);
  return {
    head: [...table.querySelectorAll("thead tr")].flatMap(cells),
    rows: [...table.querySelectorAll("tbody tr")].map(cells),
  };
}

function imageOf(svg: Element | null, style: string): string | undefined {
  if (!svg) return undefined;
  const drawn = svg.cloneNode(true) as Element;
  drawn.setAttribute("xmlns", "http://www.w3.org/2000/svg");
  const box = drawn.getAttribute("viewBox")?.split(/[\s,]+/);
  if (box?.[2] && box[3] && !drawn.hasAttribute("width")) {
    drawn.setAttribute("width", box[2]);
    drawn.setAttribute("height", box[3]);
  }
  const rules = `<style>${style.replaceAll("&", "&amp;").replaceAll("<", "&lt;")}</style>`;
  const text = new XMLSerializer().serializeToString(drawn).replace(/>/, () => `>${rules}`);
  return `data:image/svg+xml,${encodeURIComponent(text)}`;
}
