/** @jsxImportSource preact */
import type { MemberAway } from '../../firm/absence.ts';
import { useFrame } from '../frame.tsx';
import { Panel } from '../list.tsx';
import { dayWords } from '../moments.tsx';
import { Avatar } from '../words.tsx';

/** Who is away today, until when, and who stands in. */
export const Away = ({ away, today }: { away: readonly MemberAway[]; today: string }) => {
  const frame = useFrame();
  return (
    <Panel id="away" title="Away today">
      <ul class="rows">
        {away.map(({ name, until, deputy }) => (
          <li>
            <Avatar name={name} />
            <div class="grow">
              {name}
              <div class="sub">
                Until {dayWords(until, today, frame)}.{' '}
                {deputy ? `${deputy} stands in.` : 'No deputy.'}
              </div>
            </div>
          </li>
        ))}
      </ul>
    </Panel>
  );
};
