import { Elysia } from 'elysia';
import { listMembers } from '../firm/member.ts';
import { memberRow } from '../firm/wire.ts';
import { listQuery } from '../record/page.ts';
import type { Described } from './describe.ts';
import { answerList, pageShape } from './envelope.ts';
import type { gate } from './gate.ts';

/** GET /v1/members: who works in the firm, read only (docs/contract.md, Additions). */
export const memberRoutes = (plugin: ReturnType<typeof gate>['plugin']) =>
  new Elysia({ name: 'members', tags: ['Members'] }).use(plugin).get(
    '/v1/members',
    async ({ actor, query, request, set }) =>
      answerList({ request, set, query }, async ({ limit, offset }) => {
        // A firm has hundreds of them, not thousands.
        const members = (await listMembers(actor)).toReversed();
        const rows = members
          .slice(offset, offset + limit)
          .map(({ id, name, email, role, deactivatedAt }) => {
            return { id, name, email, role, isActive: deactivatedAt === null };
          });
        return { rows, total: members.length };
      }),
    {
      scope: 'members:read',
      query: listQuery,
      response: { 200: pageShape(memberRow, 'A page of members.') },
      detail: {
        operationId: 'listMembers',
        summary: 'List the members of the firm',
        description:
          'Newest first, also deactivated ones. A matter’s `team` and a task’s `assigneeId` take the ids of active members.',
        'x-described': { refusals: ['invalid_request'] } satisfies Described,
      },
    },
  );
