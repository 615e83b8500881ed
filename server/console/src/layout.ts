// Where entities stand in a drawing of the way of a fault: each below all that lead to it.

/** Rows of entities, by their places in a list. Those of the first row are not moved by what leads to them; a circle that nothing
 * leads into is entered where its first entity stands. */
export function rowsOf(count: number, edges: [number, number][], first: number[]): number[][] {
  const leading = edges.filter(([, to]) => !first.includes(to));
  const left = new Map<number, number>(Array.from({ length: count }, (_, at) => [at, 0]));
  for (const [, to] of leading) left.set(to, (left.get(to) ?? 0) + 1);
  const levels = new Map<number, number>();
  const rows: number[][] = [];
  while (left.size > 0) {
    const [entity] = [...left].reduce((one, other) => (other[1] < one[1] ? other : one));
    left.delete(entity);
    const level = levels.get(entity) ?? 0;
    for (const [from, to] of leading) {
      if (from !== entity || !left.has(to)) continue;
      left.set(to, Math.max((left.get(to) ?? 0) - 1, 0));
      levels.set(to, Math.max(levels.get(to) ?? 0, level + 1));
    }
    while (rows.length <= level) rows.push([]);
    rows[level]?.push(entity);
  }
  return rows;
}
