/** The field that a script's Undo sends beside what a form held before: the change is one that takes another back. */
export const undoField = 'undo';
