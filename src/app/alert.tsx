/** @jsxImportSource preact */
import type { ComponentChildren } from 'preact';
import { Icon } from './icon.tsx';

/** What went wrong, at the top of its page or form. It has the focus, and screen readers say it. */
export const Alert = ({
  title = 'There is a problem',
  children,
}: {
  title?: string;
  children: ComponentChildren;
}) => (
  <div class="banner danger" role="alert" tabIndex={-1} data-focus autofocus>
    <Icon name="circle-alert" />
    <div>
      <h2>{title}</h2>
      {children}
    </div>
  </div>
);
