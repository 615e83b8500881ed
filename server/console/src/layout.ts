// Lays out a graph of propagations. Each entity is below all entities that lead to it.

/**
 * Returns the rows, each as a list of entity indexes. Entities in `first` stay in the first row. If no entity outside a
 * cycle leads to it, the cycle starts at its first entity.
 */
export function rowsOf(count: number, edges: [number, number][], first: number[]): number[][] {
  const constraints = edges.filter(([, to]) => !first.includes(to));
  const unplaced = new Map<number, number>(Array.from({ length: count }, (_, at) => [at, 0]));
  for (const [, to] of constraints) unplaced.set(to, (unplaced.get(to) ?? 0) + 1);
  const levels = new Map<number, number>();
  const rows: number[][] = [];
  while (unplaced.size > 0) {
    const [entity] = [...unplaced].reduce((one, other) => (other[1] < one[1] ? other : one));
    unplaced.delete(entity);
    const level = levels.get(entity) ?? 0;
    for (const [from, to] of constraints) {
      if (from !== entity || !unplaced.has(to)) continue;
      unplaced.set(to, Math.max((unplaced.get(to) ?? 0) - 1, 0));
      levels.set(to, Math.max(levels.get(to) ?? 0, level + 1));
    }
    while (rows.length <= level) rows.push([]);
    rows[level]?.push(entity);
  }
  return rows;
}
