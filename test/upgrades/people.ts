/** What the people of a firm have at the application's door, kept by a release and used with the next one. */
import { expect } from 'bun:test';
import { TOTP } from 'otpauth';
import type { makeFirm } from '../support/firm.ts';

const password = 'wet-stones-by-the-river';

/** A page as a member saw it: the words on it that must still be there. */
type KeptPage = { path: string; words: string[] };

type KeptPerson = { email: string; cookie: string; pages: KeptPage[] };

export type KeptPeople = {
  people: KeptPerson[];
  /** The member who is asked for a code, their secret and one of their recovery codes. */
  secondFactor: { email: string; secret: string; recoveryCode: string };
  /** A path of the calendar feed, and a path of an invitation that nobody has followed. */
  feed: string;
  invitation: string;
};

type Browser = { cookie: string; headers: Record<string, string> };

const ask = async (url: string, browser: Browser, path: string, body?: Record<string, string>) => {
  const answer = await fetch(url + path, {
    method: body ? 'POST' : 'GET',
    redirect: 'manual',
    headers: {
      accept: 'text/html',
      cookie: browser.cookie,
      ...(body && { 'sec-fetch-site': 'same-origin', origin: url }),
      ...browser.headers,
    },
    ...(body && { body: new URLSearchParams(body) }),
  });
  const [, given] = /^([^=]+=[^;]+)/.exec(answer.headers.get('set-cookie') ?? '') ?? [];
  if (given) browser.cookie = given;
  const location = answer.headers.get('location');
  return { status: answer.status, location, text: await answer.text() };
};

const newBrowser = (): Browser => ({ cookie: '', headers: {} });

const must = (text: string | undefined, what: string) => {
  if (!text) throw new Error(`There is no ${what}.`);
  return text;
};

/** Gives members passwords, a second factor, a feed, a view, a note, and keeps what they then have. */
export const keepPeople = async (
  url: string,
  firm: Awaited<ReturnType<typeof makeFirm>>,
  { leadId, matterId }: { leadId: string; matterId: string },
): Promise<KeptPeople> => {
  const linkOf = async (email: string) => {
    const { link } = await firm.command<{ link: string }>(['member', 'invite', '--member', email]);
    return new URL(link).pathname;
  };
  const join = async (email: string) => {
    const browser = newBrowser();
    const { status } = await ask(url, browser, await linkOf(email), { password });
    if (status !== 303) throw new Error(`${email} could not join: ${status}`);
    const send = async (path: string, fields: Record<string, string> = {}) => {
      const sent = await ask(url, browser, path, fields);
      if (sent.status >= 400) throw new Error(`${path}: ${sent.status}`);
      return sent.text;
    };
    return { email, browser, send };
  };
  const [ada, ben] = [await join('ada@harrow.example'), await join('ben@harrow.example')];
  await ada.send(`/leads/${leadId}/notes`, { text: 'Calls back on Monday.' });
  await ada.send('/leads/views?view=list&status=ACTIVE', { name: 'Still open', isShared: 'on' });
  const shown = /<code id="totp">([A-Z2-7 ]+)<\/code>/.exec(
    await ben.send('/settings/me/authenticator'),
  );
  const secret = must(shown?.[1], 'secret').replaceAll(' ', '');
  const code = new TOTP({ secret }).generate();
  const confirmed = await ben.send('/settings/me/authenticator/confirm', { code });
  const recovery = /<code>([a-z0-9-]{19})<\/code>/.exec(confirmed)?.[1];
  const feed = /\/calendar\/feed\/[\w-]{43}\.ics/.exec(await ben.send('/settings/me/feed'))?.[0];
  const pages = (name: string): KeptPage[] => [
    { path: '/', words: [name] },
    { path: '/leads?view=list&do=views', words: ['Early Bird', 'Still open'] },
    { path: `/leads/${leadId}`, words: ['Early Bird', 'Calls back on Monday.'] },
    { path: `/matters/${matterId}`, words: ['Quill v. O’Brien', 'Zoë Quill-Ångström', 'Vienna'] },
    { path: '/contacts', words: ['Zoë Quill-Ångström', 'O’Brien Limited'] },
    { path: '/settings/me', words: [name] },
  ];
  const ofOwners = [
    { path: '/settings/members', words: ['Ada Harrow', 'Ben Lane', 'Cy Moss'] },
    { path: '/settings/roles', words: ['Attorney', 'Bookkeeper'] },
    { path: '/leads?view=list&status=ACTIVE', words: ['Hidden'] },
  ];
  const kept: KeptPeople = {
    people: [
      {
        email: ada.email,
        cookie: ada.browser.cookie,
        pages: [...pages('Ada Harrow'), ...ofOwners],
      },
      { email: ben.email, cookie: ben.browser.cookie, pages: pages('Ben Lane') },
    ],
    secondFactor: { email: ben.email, secret, recoveryCode: must(recovery, 'recovery code') },
    feed: must(feed, 'feed'),
    invitation: await linkOf('cy@harrow.example'),
  };
  await expectPages(url, kept);
  return kept;
};

const expectPages = async (url: string, { people }: KeptPeople) => {
  for (const { email, cookie, pages } of people) {
    for (const { path, words } of pages) {
      const { status, text } = await ask(url, { cookie, headers: {} }, path);
      const missing = words.filter((word) => !text.includes(word));
      expect([email, path, status, missing]).toEqual([email, path, 200, []]);
    }
  }
};

/**
 * Expects that everybody is still signed in and sees what they saw, that passwords, codes and a
 * recovery code still work, once, and that the feed and an open invitation do. `now` is the time of
 * the server's clock.
 */
export const expectPeople = async (url: string, kept: KeptPeople, now: Date) => {
  await expectPages(url, kept);
  const { email, secret, recoveryCode } = kept.secondFactor;
  const signIn = async (code: string) => {
    const browser = newBrowser();
    const asked = await ask(url, browser, '/sign-in', { email, password, to: '/inbox' });
    expect(asked.location).toStartWith('/sign-in/code');
    const { location } = await ask(url, browser, '/sign-in/code', { code, to: '/inbox' });
    return location === '/inbox';
  };
  const code = new TOTP({ secret }).generate({ timestamp: now.getTime() });
  expect(await signIn(code)).toBe(true);
  expect(await signIn(code)).toBe(false);
  expect(await signIn(recoveryCode)).toBe(true);
  expect(await signIn(recoveryCode)).toBe(false);

  const feed = await ask(url, newBrowser(), kept.feed);
  expect([feed.status, feed.text.includes('BEGIN:VCALENDAR')]).toEqual([200, true]);
  const newcomer = newBrowser();
  const joined = await ask(url, newcomer, kept.invitation, { password });
  expect(joined).toMatchObject({ status: 303, location: '/' });
  expect((await ask(url, newcomer, '/contacts')).status).toBe(200);
};
