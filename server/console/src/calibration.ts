// Parses an HTML report from gsar-calibrate. Only its text is used. Its figures are shown as images, which run no
// scripts.

/** The measures, as described in docs/CALIBRATION.md. */
export const MEASURES = [
  { name: "M1 proceed", meaning: "The share of rows that proceed." },
  { name: "M2 replans", meaning: "The number of replans per row that proceeds." },
  { name: "M3 Spearman", meaning: "How well the score ranks the rows as people do: 1 means the same order, 0 means chance. It is Spearman's correlation between the score and the share of a row's claims that people call grounded or complementary." },
  { name: "M4 caught", meaning: "Of the claims that people call contradicted, the share that is counted as contradicted." },
  { name: "M5 kept", meaning: "Of the claims that people call complementary, the share that is counted as complementary. If people call no claim complementary, the claims that they call ungrounded are used instead." },
  { name: "wrong of proceeds", meaning: "Of the rows that proceed, the share with a claim that people call ungrounded or contradicted." },
  { name: "recall", meaning: "Of the claims that people put into a class, the share that is counted in that class." },
  { name: "precision", meaning: "Of the claims that are counted in a class, the share that people put into that class. Undecided claims count as ungrounded." },
] as const;

export interface Table {
  head: string[];
  rows: string[][];
}

export interface Section {
  title: string;
  caption: string;
  /** The figure as the URL of an image. Undefined for a section that has only a table. */
  image: string | undefined;
  table: Table | undefined;
}

export interface Report {
  summary: string;
  /** The findings of the audit. */
  objections: string[];
  sections: Section[];
}

/** Parses a page. Returns undefined if it is not a report from gsar-calibrate. */
export function reportOf(html: string): Report | undefined {
  // DOMParser runs no scripts and loads nothing. The style is extracted as text, because only the figures use it.
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
  const copy = svg.cloneNode(true) as Element;
  copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
  const box = copy.getAttribute("viewBox")?.split(/[\s,]+/);
  if (box?.[2] && box[3] && !copy.hasAttribute("width")) {
    copy.setAttribute("width", box[2]);
    copy.setAttribute("height", box[3]);
  }
  const rules = `<style>${style.replaceAll("&", "&amp;").replaceAll("<", "&lt;")}</style>`;
  const text = new XMLSerializer().serializeToString(copy).replace(/>/, () => `>${rules}`);
  return `data:image/svg+xml,${encodeURIComponent(text)}`;
}
