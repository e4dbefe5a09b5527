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
