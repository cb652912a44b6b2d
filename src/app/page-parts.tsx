/** @jsxImportSource preact */
/** What every page is made of: its head, its panels, and what stands where there is nothing yet. */
import type { ComponentChild, ComponentChildren } from 'preact';
import { useFrame } from './frame.tsx';
import { Icon, type IconName } from './icon.tsx';

/** An empty list: one sentence, and one thing to do. */
export const Empty = ({ text, children }: { text: string; children?: ComponentChild }) => (
  <div class="empty">
    <svg class="peak" viewBox="0 0 48 32" aria-hidden="true">
      <path d="M1 31 14 17.5l4.5-9L25 1.5l4 8.5 5.5 6.5L47 31Z" />
      <path d="m25 1.5-3.5 13.5 4 16" />
    </svg>
    <p>{text}</p>
    {children}
  </div>
);

type MakingProps = {
  /** The page on which a record is made, and the words of the link to it. */
  path: string;
  words: string;
  class?: string;
};

/** The link to the page on which a record is made, for those whom it admits. */
export const Making = ({ path, words, class: className = 'button primary' }: MakingProps) =>
  useFrame().admits(path.replace(/\?.*/, '')) ? (
    <a class={className} href={path}>
      <Icon name="plus" />
      {words}
    </a>
  ) : null;

/** A board or list without records yet, and the button that makes the first. */
export const NothingYet = ({ text, ...making }: { text: string } & MakingProps) => (
  <Empty text={text}>
    <Making class="button" {...making} />
  </Empty>
);

/** Where practice areas are made, for those whom it admits: what needs one is empty without. */
export const ToPracticeAreas = () =>
  useFrame().admits('/settings/practice-areas') ? (
    <a class="button" href="/settings/practice-areas">
      Practice areas in the settings
    </a>
  ) : null;

/** An empty panel: one line, and what can be done. */
export const NoneYet = ({ text, children }: { text: string; children?: ComponentChild }) => (
  <p class="none">
    {text} {children}
  </p>
);

export const Panel = ({
  id,
  title,
  action,
  children,
}: {
  id: string;
  title: string;
  action?: ComponentChild;
  children: ComponentChildren;
}) => (
  <section class="panel" id={id} aria-labelledby={`${id}-title`}>
    <header>
      <h2 id={`${id}-title`}>{title}</h2>
      {action}
    </header>
    {children}
  </section>
);

type CrumbsProps = { path: string; name: string; here: string; to?: string };

/** Above a page's head: the page that leads to it, and what it is there, or `to` which record it belongs. */
export const Crumbs = ({ path, name, here, to }: CrumbsProps) => (
  <nav class="crumbs" aria-label="Where this is">
    <a href={path}>{name}</a>
    <Icon name="chevron-right" />
    {to ? <a href={to}>{here}</a> : <span>{here}</span>}
  </nav>
);

/** A page's head: its title, its facts, and what can be done. */
export const Title = ({
  title,
  facts,
  icon,
  children,
}: {
  title: string;
  facts?: ComponentChild;
  icon?: IconName;
  children?: ComponentChildren;
}) => (
  <div class="head">
    <div>
      <h1>
        {icon && <Icon name={icon} />}
        {title}
      </h1>
      {facts && <div class="facts">{facts}</div>}
    </div>
    {children && <div class="row">{children}</div>}
  </div>
);

/** The head of a list: its title, and the button that makes a record. */
export const TitleMaking = ({ title, ...making }: { title: string } & MakingProps) => {
  const { admits } = useFrame();
  return <Title title={title}>{admits(making.path) && <Making {...making} />}</Title>;
};
