import { textIn } from './cookies.ts';

export type Preferences = { theme: 'system' | 'light' | 'dark'; letters: boolean };

/** The preferences in this browser's cookie. It contains nothing about the firm. */
export const preferencesOf = (request: Request): Preferences => {
  const said = textIn(request, 'preferences') ?? '';
  const theme = /\b(light|dark)\b/.exec(said)?.[1] as 'light' | 'dark' | undefined;
  return { theme: theme ?? 'system', letters: !/\bno-letters\b/.test(said) };
};

/** The cookie that keeps preferences for a year. */
export const preferenceCookie = ({ theme, letters }: Preferences) =>
  `preferences=${theme}${letters ? '' : '.no-letters'}; Path=/; HttpOnly; SameSite=Lax; Max-Age=31536000`;
