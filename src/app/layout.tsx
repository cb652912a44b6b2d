/** @jsxImportSource preact */

import type { ComponentChild } from 'preact';
import { version } from '../version.ts';
import { WithRefusal } from './alerts.tsx';
import type { Assets } from './assets.ts';
import { idOf } from './field.tsx';
import { type Frame, InFrame } from './frame.tsx';
import { Icon, IconOfPlace, Mark } from './icon.tsx';
import { Island } from './island.tsx';
import { markup, rendersOnce } from './markup.ts';
import { type Account, AccountMenu, NewMenu } from './menus.tsx';
import { dayAndTime } from './moments.tsx';
import { unreadWords } from './numbers.ts';
import {
  type MainPlace,
  mainPlaces,
  palettePlaces,
  type RecordMade,
  recordsMade,
} from './places.ts';
import { preferencesOf } from './preferences.ts';
import { remembered } from './remembered.ts';
import type { PaletteProps } from './search/found.ts';
import { Palette } from './search/palette.tsx';
import { KeysHelp } from './shortcuts.tsx';
import type { Shown, Visit } from './visit.ts';

export type Drawn = { shown: Shown; frame: Frame; assets: Assets; unread: number };

/** The document of a member's page: navigation, bar, and the page itself. */
export const MemberDocument = ({ shown, frame, assets, unread }: Drawn) => {
  const visit = frame.visit as Visit;
  const { session, path } = visit;
  const here = shown.place ?? placeOf(path);
  const preferences = preferencesOf(visit.request);
  const admitted = mainPlaces.filter(({ path }) => frame.admits(path));
  return (
    <html lang="en-GB" {...themeOf(preferences.theme)}>
      <Head title={`${shown.title} · ${session.firmName} · Matterhorn`} assets={assets} />
      <body
        data-member={session.member.id}
        data-email={session.member.email}
        data-letters={preferences.letters ? 'on' : 'off'}
        data-record={shown.record}
        data-script="forms keys live seen"
      >
        <InFrame value={frame}>
          <div class="app">
            <a class="skip" href={`#${shown.work ? workIds[shown.work] : 'main'}`}>
              Skip to the {shown.work ?? 'page'}
            </a>
            <Above
              firmName={session.firmName}
              member={session.member}
              roleName={session.roleName}
              here={here}
              unread={unread}
              theme={preferences.theme}
              admitted={admitted}
              made={recordsMade.filter(({ path }) => frame.admits(path))}
            />
            <Printed frame={frame} firmName={session.firmName} by={session.member.name} />
            <main class="page" id="main" tabIndex={-1} data-follows={shown.follows?.join(' ')}>
              <WithRefusal>{shown.main}</WithRefusal>
            </main>
            <Dock here={here} unread={unread} admitted={admitted} />
          </div>
          <KeysHelp />
          <PaletteDialog {...paletteOf(session.member.id, frame.admits)} />
          <div id="toast" class="toast" role="status" />
        </InFrame>
      </body>
    </html>
  );
};

type PrintedProps = { frame: Frame; firmName: string; by: string };

/** The top of a page on paper: whose it is, and who printed it when. */
const Printed = ({ frame, firmName, by }: PrintedProps) => (
  <p class="printed">
    <b>{firmName}</b> · Printed by {by},{' '}
    <time
      data-script="printed"
      data-zone={frame.timeZone}
      data-order={frame.formats.dayOrder}
      data-clock={frame.formats.clock}
    >
      {dayAndTime(frame.now, frame)}
    </time>
  </p>
);

/** Where on a page its work is. */
const workIds = { list: 'list', form: 'form', note: idOf('text', 'note'), settings: 'settings' };

/** The document of a page without a member: a card in the middle. */
export const OpenDocument = ({ shown, frame, assets }: Omit<Drawn, 'unread'>) => (
  <html lang="en-GB" {...themeOf(preferencesOf(frame.visit.request).theme)}>
    <Head title={`${shown.title} · Matterhorn`} assets={assets} />
    <body class="sign-in" data-script="forms">
      <InFrame value={frame}>
        <main id="main" tabIndex={-1}>
          <WithRefusal>{shown.main}</WithRefusal>
        </main>
        <footer>
          <span>Matterhorn {version}</span>
        </footer>
        <div id="toast" class="toast" role="status" />
      </InFrame>
    </body>
  </html>
);

/** The card of an open page: the firm's mark, a title, and a box. */
export const Card = ({ title, children }: { title: string; children?: ComponentChild }) => (
  <>
    <div class="who">
      <Mark />
      <h1>{title}</h1>
    </div>
    <div class="box">{children}</div>
  </>
);

const themeOf = (theme: string) => (theme === 'system' ? {} : { 'data-theme': theme });

const Head = ({ title, assets }: { title: string; assets: Assets }) => (
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <meta name="color-scheme" content="light dark" />
    <title>{title}</title>
    <link rel="icon" href={assets.icon} type="image/svg+xml" />
    <link rel="stylesheet" href={assets.style} />
    <script type="module" src={assets.script} />
  </head>
);

/** The first part of an address: `/leads` of `/leads/1`, `/settings` of `/settings/me`. */
const placeOf = (path: string) => `/${path.split('/')[1] ?? ''}`;

type AboveProps = Account &
  Here & {
    firmName: string;
    /** What the member may create. */
    made: readonly RecordMade[];
  };

const Above = remembered(({ firmName, made, admitted, ...of }: AboveProps) => (
  <>
    <Side firmName={firmName} here={of.here} admitted={admitted} />
    <header class="bar">
      <a class="firm" href="/">
        <Mark />
        <span>{firmName}</span>
      </a>
      <SearchBox />
      <NewMenu made={made} />
      <a
        class="button quiet inbox-link"
        href="/inbox"
        aria-current={of.here === '/inbox' ? 'page' : undefined}
      >
        <IconOfPlace name="inbox" path="/inbox" />
        <span class="hide">Inbox</span>
        <Unread unread={of.unread} />
      </a>
      <AccountMenu {...of} places={admitted.filter(({ isDocked }) => !isDocked)} />
    </header>
  </>
));

type Here = {
  here: string;
  unread: number;
  /** The places that the member may see. */
  admitted: readonly MainPlace[];
};

const Side = ({ firmName, here, admitted }: Omit<Here, 'unread'> & { firmName: string }) =>
  markup`<nav class="side" aria-label="Main"><a class="firm" href="/" aria-label="${firmName}">${Mark()}<span class="words">${firmName}</span></a><ul>${admitted.map(
    ({ path, name, icon, isApart }) =>
      markup`<li${isApart && markup` class="apart"`}><a href="${path}"${current(path === here)} title="${name}">${IconOfPlace({ name: icon, path })}<span class="words">${name}</span></a></li>`,
  )}</ul></nav>`;

const current = (isHere: boolean) => isHere && markup` aria-current="page"`;

/** A phone's navigation, at the bottom. The other places are in the account's menu. */
const Dock = ({ here, unread, admitted }: Here) =>
  markup`<nav class="dock" aria-label="Main, phone">${admitted
    .filter(({ isDocked }) => isDocked)
    .map(
      ({ path, name, icon }) =>
        markup`<a href="${path}"${current(path === here)}>${Icon({ name: icon })}${name}</a>`,
    )}<a href="/search"${current(here === '/search')} data-script="opens" data-opens="palette">${Icon({ name: 'search' })}Search</a><a href="/inbox"${current(here === '/inbox')}>${Icon({ name: 'inbox' })}Inbox${Unread({ unread })}</a></nav>`;

/** How many notices are unread. A script keeps the number up to date. */
const Unread = ({ unread }: { unread: number }) =>
  markup`<span class="count" data-unread="true"${unread === 0 && markup` hidden`}><span>${unreadWords(unread)}</span><span class="hide"> unread</span></span>`;

/** A link to the search page. A script opens the palette instead. */
const SearchBox = rendersOnce(() => (
  <form class="search-form" action="/search" role="search">
    <button class="search" type="submit" data-script="opens" data-opens="palette">
      <Icon name="search" />
      Search
      <kbd aria-hidden>Ctrl</kbd>
      <kbd aria-hidden>K</kbd>
    </button>
  </form>
));

const commands = recordsMade.map(({ path, name }) => ({
  path,
  name: `New ${name.toLowerCase()}`,
}));

/** What the palette offers to a member: only pages and commands of their role. */
const paletteOf = (member: string, admits: (path: string) => boolean): PaletteProps => {
  const mine = ({ path }: { path: string }) => admits(path.replace(/#.*/, ''));
  return { member, places: palettePlaces.filter(mine), commands: commands.filter(mine) };
};

/** The palette that Ctrl+K opens. */
const PaletteDialog = remembered((props: PaletteProps) => (
  <dialog class="dialog palette" id="palette" aria-label="Search">
    <Island name="palette" of={Palette} props={props} />
  </dialog>
));
