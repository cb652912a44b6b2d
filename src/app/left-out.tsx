/** @jsxImportSource preact */
import { useFrame } from './frame.tsx';

const parameter = 'without';

/** The page that is shown after a record came back: it says if the record has lost its external id. */
export const afterReturn = (path: string, { hasLostExternalId }: { hasLostExternalId: boolean }) =>
  hasLostExternalId ? `${path}${path.includes('?') ? '&' : '?'}${parameter}=externalId` : path;

/** What did not come back with the record. */
export const LeftOut = () =>
  useFrame().visit.query.has(parameter) ? (
    <p class="banner warn">
      The record was restored without its external id, because another record has that id now.
    </p>
  ) : null;
