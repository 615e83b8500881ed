// The layout of a graph of propagations: each entity is below all entities that lead to it.

/** Returns rows of indexes of entities. Entities in `first` stay in the first row; a cycle that no other entity leads to starts at
 * its first one. */
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
