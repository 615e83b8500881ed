// Counts evaluations over time. The length of the intervals depends on the time span.
import { countEvaluations } from "./api";
import type { EvaluationCount, EvaluationFilter } from "./contract";
import { type Share, shares } from "./shares";

const [MINUTE, HOUR, DAY, WEEK] = [60, 3_600, 86_400, 604_800] as const;
/** The possible lengths of intervals, shortest first. */
const INTERVALS = [MINUTE, 5 * MINUTE, 15 * MINUTE, HOUR, 3 * HOUR, DAY, WEEK];
/** The possible distances between labels. */
const TICKS = [MINUTE, 5 * MINUTE, 15 * MINUTE, 30 * MINUTE, HOUR, 3 * HOUR, 6 * HOUR, 12 * HOUR, DAY, 2 * DAY, WEEK, 4 * WEEK, 12 * WEEK];
const NAMES: Record<number, string> = { [MINUTE]: "minute", [HOUR]: "hour", [DAY]: "day", [WEEK]: "week" };
/** The maximum number of days for which the first query counts by day. Longer spans are counted by week. */
const MAX_DAYS = 100;
/** The maximum number of intervals, unless the longest interval needs more. */
const MAX_INTERVALS = 30;
const MAX_BARS = 1_000;

export interface Counts {
  counts: EvaluationCount[];
  /** The length of each interval. */
  seconds: number;
}

export interface Timeline {
  /** Counts by day or week. */
  coarse: Counts;
  /** Counts by the shortest interval for which the chart has enough space. */
  fine: Counts;
}

export async function timelineOf(filter: EvaluationFilter): Promise<Timeline> {
  const until = filter.evaluatedBefore ? Date.parse(filter.evaluatedBefore) : Date.now();
  const querySpan = (until - Date.parse(filter.evaluatedFrom ?? "")) / 1_000;
  const coarse = await countsOf(filter, querySpan <= MAX_DAYS * DAY ? DAY : WEEK);
  let fine = coarse;
  while (fine.counts.length > 0) {
    const span = startOf(fine.counts.at(-1)) + fine.seconds - startOf(fine.counts[0]);
    const shorter = INTERVALS.find((interval) => interval < fine.seconds && span <= MAX_INTERVALS * interval);
    if (shorter === undefined) break;
    fine = await countsOf(filter, shorter);
  }
  return { coarse, fine };
}

async function countsOf(evaluations: EvaluationFilter, seconds: number): Promise<Counts> {
  const { counts } = await countEvaluations({ evaluations, interval: `${seconds}s` });
  return { counts: counts ?? [], seconds };
}

function startOf(count: EvaluationCount | undefined): number {
  return Date.parse(count?.from ?? "") / 1_000;
}

/** Names an interval, such as `hour` or `5 minutes`. */
export function nameOf(seconds: number): string {
  const unit = seconds < HOUR ? MINUTE : seconds < DAY ? HOUR : seconds;
  return NAMES[seconds] ?? `${seconds / unit} ${NAMES[unit]}s`;
}

/** Formats a time as `2026-11-27 08:15`, or as the day if intervals are days or longer. */
export function labelOf(start: number, seconds: number): string {
  return new Date(start * 1_000).toISOString().replace("T", " ").slice(0, seconds < DAY ? 16 : 10);
}

export interface Bar {
  /** Seconds since 1970. */
  start: number;
  share: Share | undefined;
}

/** Returns all intervals from the first to the last with evaluations, including empty ones. */
export function barsOf({ counts, seconds }: Counts): Bar[] {
  const sharesByStart = new Map(shares(counts, (count) => count.from ?? "").map((share) => [Date.parse(share.key) / 1_000, share]));
  const [first, last] = [Math.min(...sharesByStart.keys()), Math.max(...sharesByStart.keys())];
  const count = sharesByStart.size === 0 ? 0 : Math.min((last - first) / seconds + 1, MAX_BARS);
  return Array.from({ length: count }, (_, at) => {
    const start = last - (count - 1 - at) * seconds;
    return { start, share: sharesByStart.get(start) };
  });
}

export interface Tick {
  /** The index of the bar that it labels. */
  at: number;
  time: string;
  /** The day, if it differs from the day of the previous label. */
  day: string;
}

/** Returns the labels for bars of the given width. They are at least `apart` from each other. */
export function ticksOf(bars: Bar[], seconds: number, width: number, apart: number): Tick[] {
  const step = TICKS.find((distance) => distance >= seconds && (distance / seconds) * width >= apart) ?? TICKS.at(-1) ?? WEEK;
  const ticks: Tick[] = [];
  let day = "";
  for (const [at, { start }] of bars.entries()) {
    const isDue = ticks.length === 0 || (start % step === 0 && (at - (ticks.at(-1)?.at ?? 0)) * width >= apart);
    if (!isDue) continue;
    const timestamp = new Date(start * 1_000).toISOString();
    const today = timestamp.slice(0, 10);
    ticks.push({ at, time: seconds < DAY ? timestamp.slice(11, 16) : "", day: today === day ? "" : today });
    day = today;
  }
  return ticks;
}
