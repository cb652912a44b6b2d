import type { InstallationKey } from '../base/installation-key.ts';
import { type Seals, sealsOf } from '../base/seal.ts';
import type { Settings } from '../config.ts';
import type { EventTypes } from '../events/interest.ts';
import { resolveHere } from './address.ts';
import type { Webhooks } from './endpoint.ts';

/** What a server knows of itself. */
type Self = {
  keyOf?: () => InstallationKey | undefined;
  ownPorts?: (() => number[]) | undefined;
};

/** What webhooks need, from the settings and from the server that they are of. */
export const webhooksOf = (
  types: EventTypes,
  { webhookAllow }: Pick<Settings, 'webhookAllow'>,
  { keyOf = () => undefined, ownPorts = () => [] }: Self = {},
): Webhooks => {
  let made: { key: InstallationKey | undefined; seals: Seals } | undefined;
  const seals = () => {
    const key = keyOf();
    if (!made || made.key !== key) made = { key, seals: sealsOf(key) };
    return made.seals;
  };
  return { types, seals, reach: { allowed: webhookAllow, ownPorts, resolve: resolveHere } };
};
