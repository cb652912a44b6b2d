/** @jsxImportSource preact */
import type { ComponentChild } from 'preact';
import { Icon, type IconName, IconOfPlace } from './icon.tsx';
import { keyTo } from './keys.ts';
import { markup } from './markup.ts';
import type { MainPlace, RecordMade } from './places.ts';
import type { Preferences } from './preferences.ts';
import { Avatar } from './words.tsx';

/** A button that opens a menu. The browser does this without a script. */
export const Menu = ({
  id,
  label,
  button,
  letter,
  class: className = 'button',
  children,
}: {
  id: string;
  /** The menu's name for screen readers, and the button's if it shows no words. */
  label: string;
  button: ComponentChild;
  /** The key that presses the button. */
  letter?: string | undefined;
  class?: string;
  children: ComponentChild;
}) => (
  <>
    <button
      class={className}
      type="button"
      popovertarget={id}
      aria-haspopup="menu"
      data-key={letter}
    >
      {button}
    </button>
    <div class="menu" id={id} data-script="menu" popover="auto" role="menu" aria-label={label}>
      {children}
    </div>
  </>
);

/** What else can be done with the record that a page shows: buttons behind three dots. */
export const MoreActions = ({ children }: { children: ComponentChild }) => (
  <>
    <button class="button icon-only" type="button" popovertarget="more-actions">
      <Icon name="ellipsis" />
      <span class="hide">More actions</span>
    </button>
    <div class="menu" id="more-actions" data-script="menu" popover="auto">
      {children}
    </div>
  </>
);

type ItemProps = { icon: IconName; children: ComponentChild; kbd?: string | undefined };

const MenuLink = ({
  href,
  icon,
  kbd,
  place,
  children,
}: ItemProps & { href: string; place?: string }) =>
  markup`<a role="menuitem" class="item" href="${href}" tabindex="-1"${place && markup` data-script="in-dialog"`}>${
    place ? IconOfPlace({ name: icon, path: place }) : Icon({ name: icon })
  }${children}${kbd && markup`<kbd>${kbd}</kbd>`}</a>`;

export const NewMenu = ({ made }: { made: readonly RecordMade[] }) => {
  if (made.length === 0) return null;
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
      {made.map(({ path, name, icon, isOfNoPlace }) => (
        <MenuLink
          href={path}
          icon={icon}
          kbd={keyTo(path)}
          {...(isOfNoPlace && { place: path.replace('/new', '') })}
        >
          {name}
        </MenuLink>
      ))}
    </Menu>
  );
};

const themes = [
  { theme: 'system', name: 'Match system', icon: 'monitor' },
  { theme: 'light', name: 'Light', icon: 'sun' },
  { theme: 'dark', name: 'Dark', icon: 'moon' },
] as const;

const themeChoice = ({ theme, name, icon }: (typeof themes)[number], isChosen: boolean) =>
  markup`<button role="menuitemradio" aria-checked="${String(isChosen)}" class="item" name="theme" value="${theme}" tabindex="-1">${Icon({ name: icon })}${name}${isChosen && Icon({ name: 'check' })}</button>`;

export type Account = {
  member: { name: string; email: string };
  roleName: string;
  theme: Preferences['theme'];
};

type AccountProps = Account & {
  /** The places that a phone shows here, because its dock has no room for them. */
  places: readonly MainPlace[];
};

/** The member's menu: on a phone the other places; profile, light or dark, keys, sign out. */
export const AccountMenu = ({ member, roleName, theme, places }: AccountProps) => {
  const { name, email } = member;
  return (
    <Menu
      id="account-menu"
      label={`${name}: your account`}
      class="button quiet icon-only account"
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
        <span>{roleName}</span>
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
      <button
        role="menuitem"
        class="item"
        type="button"
        tabIndex={-1}
        data-script="opens"
        data-opens="keys"
      >
        <Icon name="keyboard" /> Keyboard shortcuts <kbd>?</kbd>
      </button>
      <hr />
      <form method="post" action="/preferences" data-whole>
        {themes.map((one) => themeChoice(one, one.theme === theme))}
      </form>
      <hr />
      <form method="post" action="/sign-out" data-whole data-script="sign-out">
        <button role="menuitem" class="item" tabIndex={-1}>
          <Icon name="log-out" />
          Sign out
        </button>
      </form>
    </Menu>
  );
};
