import { pathWithin } from './address.ts';
import { textIn } from './cookies.ts';
import { form, type Page, page } from './visit.ts';

export type Preferences = { theme: 'system' | 'light' | 'dark'; letters: boolean };

/** The preferences in this browser's cookie. It contains nothing about the firm. */
export const preferencesOf = (request: Request): Preferences => {
  const said = textIn(request, 'preferences') ?? '';
  const theme = /\b(light|dark)\b/.exec(said)?.[1] as 'light' | 'dark' | undefined;
  return { theme: theme ?? 'system', letters: !/\bno-letters\b/.test(said) };
};

/** The cookie that keeps preferences for a year. */
const preferenceCookie = ({ theme, letters }: Preferences) =>
  `preferences=${theme}${letters ? '' : '.no-letters'}; Path=/; HttpOnly; SameSite=Lax; Max-Age=31536000`;

const themes = ['system', 'light', 'dark'] as const;

/** The preferences: light or dark, and whether single letters are keys. */
export const preferencePages: Page[] = [
  form(
    '/preferences',
    'open',
    async ({ request }, fields) => {
      const now = preferencesOf(request);
      const wished = {
        theme: themes.find((one) => one === fields.text('theme')) ?? now.theme,
        letters: fields.has('letters') ? fields.text('letters') === 'on' : now.letters,
      };
      const from = URL.parse(request.headers.get('referer') ?? '');
      const path = pathWithin(from && from.pathname + from.search);
      return { path, headers: { 'set-cookie': preferenceCookie(wished) } };
    },
    page('/preferences', 'open', async () => ({ title: 'Preferences', main: null })),
  ),
];
