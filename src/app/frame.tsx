/** @jsxImportSource preact */
import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import { dayIn } from '../base/calendar-date.ts';
import { usualFormats } from '../firm/formats.ts';
import type { Formats } from '../firm/table.ts';
import type { OpenVisit, Policy, Refused } from './visit.ts';

/** What every part of a page can use, without passing it down. */
export type Frame = {
  visit: OpenVisit;
  /** Whether there is a page at this address that the visitor may see. */
  admits(path: string): boolean;
  /** What the row of the form says that is sent to this address. */
  policyOf(action: string): Policy | undefined;
  /** The firm's time zone. Days and times are shown in it, wherever the browser is. */
  timeZone: string;
  /** How days and times are written for the member. */
  formats: Formats;
  now: Date;
  /** The day that it is now in the time zone. */
  today: string;
};

/** What a row of a list can use of it. */
export type RowFrame = Pick<Frame, 'timeZone' | 'formats' | 'now' | 'today'>;

/** What a page that is made at this moment uses of it. Without a member, days and times are written as usual. */
export const rowFrameAt = (
  now: Date,
  { timeZone, formats }: Pick<Frame, 'timeZone' | 'formats'> = {
    timeZone: 'UTC',
    formats: usualFormats,
  },
): RowFrame => ({
  timeZone,
  formats,
  now,
  today: dayIn(now, timeZone),
});

const FrameContext = createContext<Frame | undefined>(undefined);

/** Gives the frame to the parts of a page. */
export const InFrame = FrameContext.Provider;

export const useFrame = (): Frame => {
  const frame = useContext(FrameContext);
  if (!frame) throw new Error('This part is used outside of a page.');
  return frame;
};

/** The form around a field: its refusal, its id prefix, and the labels of its fields. */
export type FormFrame = {
  refused: Refused | undefined;
  began: boolean;
  within?: string | undefined;
};

const FormContext = createContext<FormFrame>({ refused: undefined, began: false });
export const InForm = FormContext.Provider;
export const useForm = () => useContext(FormContext);
