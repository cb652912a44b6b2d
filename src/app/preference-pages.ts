import { pathWithin } from './address.ts';
import { preferenceCookie, preferencesOf } from './preferences.ts';
import { form, type Page, page } from './visit.ts';

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
