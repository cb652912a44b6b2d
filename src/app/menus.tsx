/** @jsxImportSource preact */
import type { ComponentChild } from 'preact';
import { useFrame } from './frame.tsx';
import { Icon, type IconName } from './icon.tsx';
import { markup } from './markup.ts';
import type { Preferences } from './preferences.ts';
import type { Visit } from './visit.ts';
import { Avatar } from './words.tsx';

/** A button that opens a menu. The browser does this without a script. */
export const Menu = ({
  id,
  label,
  button,
  look = 'button',
  children,
}: {
  id: string;
  /** The menu's name for screen readers, and the button's if it shows no words. */
  label: string;
  button: ComponentChild;
  look?: string;
  children: ComponentChild;
}) => (
  <>
    <button class={look} type="button" popovertarget={id} aria-haspopup="menu" data-menu={id}>
      {button}
    </button>
    <div class="menu" id={id} popover="auto" role="menu" aria-label={label}>
      {children}
    </div>
  </>
);

type ItemProps = { icon: IconName; children: ComponentChild; kbd?: string | undefined };

/** A link in a menu. */
const MenuLink = ({ href, icon, kbd, children }: ItemProps & { href: string }) =>
  markup`<a role="menuitem" class="item" href="${href}" tabindex="-1">${Icon({ name: icon })}${children}${
    kbd && markup`<kbd>${kbd}</kbd>`
  }</a>`;

const made = [
  { path: '/leads/new', name: 'Lead', icon: 'funnel', kbd: 'N' },
  { path: '/matters/new', name: 'Matter', icon: 'briefcase' },
  { path: '/contacts/new', name: 'Contact', icon: 'contact' },
  { path: '/tasks/new', name: 'Task', icon: 'list-checks' },
  { path: '/calendar/new', name: 'Event', icon: 'calendar' },
  { path: '/conflicts/new', name: 'Conflict check', icon: 'shield-check' },
] as const;

/** The menu of records that the member may create. */
export const NewMenu = () => {
  const { admits } = useFrame();
  const possible = made.filter(({ path }) => admits(path));
  if (possible.length === 0) return null;
  return (
    <Menu
      id="new-menu"
      label="New"
      button={
        <>
          <Icon name="plus" />
          New
        </>
      }
    >
      {possible.map((one) => (
        <MenuLink href={one.path} icon={one.icon} kbd={'kbd' in one ? one.kbd : undefined}>
          {one.name}
        </MenuLink>
      ))}
    </Menu>
  );
};

const themes = [
  { theme: 'system', name: 'As the system', icon: 'monitor' },
  { theme: 'light', name: 'Light', icon: 'sun' },
  { theme: 'dark', name: 'Dark', icon: 'moon' },
] as const;

const themeChoice = ({ theme, name, icon }: (typeof themes)[number], isChosen: boolean) =>
  markup`<button role="menuitemradio" aria-checked="${String(isChosen)}" class="item" name="theme" value="${theme}" tabindex="-1">${Icon({ name: icon })}${name}${isChosen && Icon({ name: 'check' })}</button>`;

/** A place of the application that the navigation leads to. */
export type Place = { path: string; name: string; icon: IconName; isApart?: boolean };

type AccountProps = {
  visit: Visit;
  preferences: Preferences;
  /** The places that a phone shows here, because its dock has no room for them. */
  places: readonly Place[];
};

/** The member's menu: on a phone the other places; profile, light or dark, keys, sign out. */
export const AccountMenu = ({ visit, preferences, places }: AccountProps) => {
  const { name, email } = visit.session.member;
  return (
    <Menu
      id="account-menu"
      label={`${name}: your account`}
      look="button quiet icon-only account"
      button={
        <>
          <Avatar name={name} plain />
          <span class="hide">{name}: your account</span>
        </>
      }
    >
      <div class="whose" role="presentation">
        <b>{name}</b>
        <span>{email}</span>
        <span>{visit.session.roleName}</span>
      </div>
      <hr />
      <div class="only-phone">
        {places.map(({ path, name: place, icon }) => (
          <MenuLink href={path} icon={icon}>
            {place}
          </MenuLink>
        ))}
        <hr />
      </div>
      <MenuLink href="/settings/me" icon="user">
        Profile and notifications
      </MenuLink>
      <button role="menuitem" class="item" type="button" tabIndex={-1} data-opens="keys">
        <Icon name="keyboard" />
        Keys
        <kbd>?</kbd>
      </button>
      <hr />
      <form method="post" action="/preferences" data-whole>
        {themes.map((one) => themeChoice(one, one.theme === preferences.theme))}
      </form>
      <hr />
      <form method="post" action="/sign-out" data-whole data-signs-out>
        <button role="menuitem" class="item" tabIndex={-1}>
          <Icon name="log-out" />
          Sign out
        </button>
      </form>
    </Menu>
  );
};
