/** @jsxImportSource preact */
import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { OpenVisit, Refused } from './visit.ts';

/** What every part of a page may know of it, without being handed it. */
export type Frame = {
  visit: OpenVisit;
  /** Whether there is a page at this address that the visitor may see. */
  admits(path: string): boolean;
  /** Where the firm is: its days and hours are shown, wherever the browser is. */
  timeZone: string;
  now: Date;
};

const FrameContext = createContext<Frame | undefined>(undefined);

/** Gives a page's parts their frame. */
export const InFrame = FrameContext.Provider;

/** The frame of the page that is being shown. */
export const useFrame = (): Frame => {
  const frame = useContext(FrameContext);
  if (!frame) throw new Error('This part is used outside of a page.');
  return frame;
};

/** The form around a field: what was refused of it, its id prefix, and the labels of its fields. */
export type FormFrame = {
  refused: Refused | undefined;
  began: boolean;
  within?: string | undefined;
};

const FormContext = createContext<FormFrame>({ refused: undefined, began: false });
export const InForm = FormContext.Provider;
export const useForm = () => useContext(FormContext);
