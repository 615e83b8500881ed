// The report that gsar-calibrate writes, read off its page of HTML. Nothing of the page is put into this one but text; a figure
// is shown as an image, in which nothing runs.

/** The measures of the method, in the words of docs/CALIBRATION.md. */
export const MEASURES = [
  { name: "M1 proceed", is: "How many of the rows go out." },
  { name: "M2 replans", is: "Replans for each row that goes out." },
  { name: "M3 Spearman", is: "How well the score ranks rows as people do: 1 is the same order, 0 is chance. It is Spearman's correlation of the score with the share of a row's claims that people call grounded or complementary." },
  { name: "M4 caught", is: "Of the claims that people call contradicted, how many are counted as contradicted." },
  { name: "M5 kept", is: "Of the claims that people call complementary, how many are counted as complementary. Where people call none so, it is of those that they call ungrounded." },
  { name: "wrong of proceeds", is: "Of the rows that go out, how many have a claim that people call ungrounded or contradicted." },
  { name: "recall", is: "Of the claims that people put into a class, how many were counted in it." },
  { name: "precision", is: "Of the claims that were counted in a class, how many people put there. A claim that the judge left undecided is counted as ungrounded." },
] as const;

export interface Table {
  head: string[];
  rows: string[][];
}

export interface Section {
  title: string;
  caption: string;
  /** A figure as an address of an image; none where the section is a table alone. */
  image: string | undefined;
  table: Table | undefined;
}

export interface Report {
  summary: string;
  /** What the audit objects to. */
  objections: string[];
  sections: Section[];
}

/** Reads a page; undefined where it is none of gsar-calibrate. */
export function reportOf(html: string): Report | undefined {
  // A document that is parsed like this runs nothing and loads nothing. Its style is for figures alone, and goes to them as text.
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
