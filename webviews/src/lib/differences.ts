// Whether two times that were measured once differ at all. Pure.

/** What differs by less than either of these says nothing where nobody knows how much it varies. */
const leastTellingShare = 0.01;
const leastTellingUs = 0.1;

/** Two times in microseconds that are nearer than clocks tell, or than two runs of one program. */
export function isAboutEqual(
  deltaUs: number,
  sides: readonly (number | null | undefined)[],
): boolean {
  const size = Math.abs(deltaUs);
  const whole = Math.max(...sides.map((side) => Math.abs(side ?? 0)));
  return size < leastTellingUs || size < leastTellingShare * whole;
}
