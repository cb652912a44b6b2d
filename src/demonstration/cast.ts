import cast from './cast.yaml' with { type: 'yaml' };

/** The firm's people, by their first names. */
export const people = {
  ada: { name: 'Ada Harrow', email: 'ada@harrow.example', role: 'Owner' },
  ben: { name: 'Ben Lane', email: 'ben@harrow.example', role: 'Attorney' },
  dana: { name: 'Dana Whitcombe', email: 'dana@harrow.example', role: 'Attorney' },
  cy: { name: 'Cy Moss', email: 'cy@harrow.example', role: 'Paralegal' },
  iris: { name: 'Iris Vale', email: 'iris@harrow.example', role: 'Intake' },
} as const;

export type Person = keyof typeof people;

/** A caller whom somebody entered as a lead, and the lead's outcome. */
export type Caller = {
  name: string;
  area: string;
  source: string;
  value: 'LOWEST' | 'LOW' | 'MEDIUM' | 'HIGH' | 'HIGHEST' | null;
  /** The stage it is in, or how it ended. */
  fate?: 0 | 1 | 2 | 3 | 'hired' | 'archived' | 'draft';
  /** Why it was not hired. */
  reason?: string;
  daysAgo: number;
  /** The reason for the call, in the words of the member who took it. */
  said: string;
  isPrivate?: boolean;
};

/** A sender of the form on the firm's website. */
type FormSender = { name: string; area: string; minutesAgo: number };

/** A matter older than the leads. */
export type OldMatter = {
  client: string;
  title: string;
  area: string;
  daysAgo: number;
  stage: number;
  /** The limitation date, in days from today. */
  limitation: number | null;
  end?: 'closed' | 'draft';
};

type Cast = { callers: Caller[]; formSenders: FormSender[]; oldMatters: OldMatter[] };

// The bundler reads it, so that a start of the executable does not.
export const { callers, formSenders, oldMatters } = cast as unknown as Cast;
