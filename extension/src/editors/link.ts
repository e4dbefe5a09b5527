import { isAbsolute } from 'node:path';
import { readComparisonLink, sideNames, type Comparison } from '#shared/comparison.ts';
import { readTimelineLink, type TimelineLink } from '#shared/timeline_link.ts';

/** The timeline that a link asks for; undefined for other links, and for files that it names only in part. */
export function parseTimelineLink(path: string, query: string): TimelineLink | undefined {
  const link = readTimelineLink(path, query);
  return link !== undefined && isAbsolute(link.path) ? link : undefined;
}

/** The comparison that a link asks for, likewise. */
export function parseComparisonLink(path: string, query: string): Comparison | undefined {
  const comparison = readComparisonLink(path, query);
  return comparison !== undefined && sideNames.every((side) => isAbsolute(comparison[side].path))
    ? comparison
    : undefined;
}
