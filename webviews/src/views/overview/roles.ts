// What time is spent on, as the overview shows it.
import type { Role } from '../../lib/colors.ts';
import { fixed } from '#shared/numbers.ts';

/** Time by role, microseconds. */
export type Parts = Partial<Record<Role, number>>;

export interface ShownRole {
  key: Role;
  title: string;
  definition: string;
  color: string;
}

export const us = (value: number): string => fixed(value, 1);

/** The ring sorts its parts by size; their colours follow. */
export function colorsByValue(shown: ShownRole[], parts: Parts): string[] {
  return [...shown]
    .filter((role) => (parts[role.key] ?? 0) > 0)
    .sort((a, b) => (parts[b.key] ?? 0) - (parts[a.key] ?? 0))
    .map((role) => role.color);
}
