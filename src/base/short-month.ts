/** Words of a day with each short month in three letters, as the database writes it: British English has one in four. */
export const withShortMonth = (words: string): string => words.replace(/\bSept\b/, 'Sep');
