import { newId } from '../base/columns.ts';

/** The hidden field that tells a repeated form from a second one. */
export const onceField = 'once';

/** What a form says in that field: each time a form is shown it has another. */
export const newOnce = (): string => newId();
