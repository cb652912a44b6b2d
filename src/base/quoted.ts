const maxPoints = 64;

/**
 * A word of the caller's for a message: as a JSON string of plain characters, shortened to 64 code
 * points.
 */
export const quoted = (word: string): string => {
  const points = [...word.slice(0, 2 * maxPoints + 2)];
  const shown = points.length > maxPoints ? `${points.slice(0, maxPoints).join('')}…` : word;
  return JSON.stringify(shown).replace(
    /[<>&\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
};
