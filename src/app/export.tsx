/** @jsxImportSource preact */
import { useFrame } from './frame.tsx';
import { Icon } from './icon.tsx';
import type { Visit } from './visit.ts';

/** The button that exports what the page shows. Only roles that may export data see it. */
export const Export = ({
  action,
  class: className = 'button only-wide',
}: {
  action: string;
  class?: string;
}) => {
  const { may } = useFrame().visit as Visit;
  if (!may('data:export')) return null;
  return (
    <form class="act" method="post" action={action} data-whole>
      <button class={className}>
        <Icon name="download" />
        Export
      </button>
    </form>
  );
};
