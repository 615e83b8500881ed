// The report that gsar-calibrate writes, read off its page of HTML. Nothing of the page is put into this one but text; a figure
// is shown as an image, in which nothing runs.

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
  // A document that is parsed like this runs nothing and loads nothing.
  const page = new DOMParser().parseFromString(html, "text/html");
  const main = page.querySelector("main");
  if (!main || !page.title.startsWith("GSAR: evaluation")) return undefined;
  const style = page.querySelector("style")?.textContent ?? "";
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
  const rules = svg.ownerDocument.createElementNS("http://www.w3.org/2000/svg", "style");
  rules.textContent = style;
  drawn.prepend(rules);
  return `data:image/svg+xml,${encodeURIComponent(new XMLSerializer().serializeToString(drawn))}`;
}
