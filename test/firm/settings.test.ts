/** The verbs of the firm's settings, with a member as the one who acts. */
import { afterAll, describe, expect, test } from 'bun:test';
import { createKey, revokeKey, rotateKey } from '../../src/api-keys/api-key.ts';
import { Refusal } from '../../src/base/refusal.ts';
import { readSettings } from '../../src/config.ts';
import { createCustomField, updateCustomField } from '../../src/custom-fields/definition.ts';
import { addMember } from '../../src/firm/member.ts';
import { previewNumbers, setNumberFormat } from '../../src/firm/numbering.ts';
import { createRole, listRoles, removeRole, updateRole } from '../../src/firm/role.ts';
import { leadStageList } from '../../src/leads/stages.ts';
import { openDatabase } from '../../src/postgres/pool.ts';
import { type Actor, administrator } from '../../src/record/actor.ts';
import { setActive, updateMember } from '../../src/sign-in/member-change.ts';
import { auditOf, expectRefusal, unknownId } from '../support/expectations.ts';
import {
  attorney,
  bookkeeper,
  type Firm,
  makeFirm,
  makePatientFirm,
  owner,
  startTestServer,
  usualBlueprint,
} from '../support/firm.ts';

const server = await startTestServer();
const database = openDatabase(readSettings({ DATABASE_URL: server.databaseUrl }).database ?? '', 4);
afterAll(() => database.close());

/** Acts as the member with this address, as one who is signed in does. */
const as = (firm: Firm, email: string): Actor => ({
  ...administrator(database, firm.id),
  memberId: firm.members[email] as string,
  seesPrivate: false,
});

const idOfRole = async (firm: Firm, name: string) =>
  (await listRoles(administrator(database, firm.id))).find((one) => one.name === name)?.id ?? '';

/** The verb is refused with this code, its sentence holds this, and nothing is changed. */
const refused = async (
  firm: Firm,
  code: string,
  sentence: string,
  verb: () => Promise<unknown>,
) => {
  const before = await auditOf(firm);
  const outcome = await verb().then(
    () => undefined,
    (error) => error,
  );
  expect(outcome).toBeInstanceOf(Refusal);
  expect([outcome.code, outcome.message]).toEqual([code, expect.stringContaining(sentence)]);
  expect(outcome.message).not.toMatch(/matterhorn |--\w/);
  expect(await auditOf(firm)).toEqual(before);
};

const administratorRole = {
  name: 'Administrator',
  permissions: ['contacts:read', 'leads:read', 'leads:write', 'members:write', 'keys:write'],
};

/** A firm whose Ben is no owner, and may change members. */
const makeAdministered = () =>
  makeFirm(server, {
    roles: [administratorRole, ...usualBlueprint.roles],
    members: [
      usualBlueprint.members[0],
      { email: attorney, name: 'Ben Lane', role: 'Administrator' },
      usualBlueprint.members[2],
    ],
  });

describe('Members', () => {
  test('only an owner gives or takes the role Owner, or changes an owner', async () => {
    const firm = await makeAdministered();
    const ben = as(firm, attorney);
    const ada = firm.members[owner] as string;
    const cy = firm.members[bookkeeper] as string;
    const roleId = await idOfRole(firm, 'Owner');
    const only = 'Only an owner';
    await refused(firm, 'forbidden', only, () => updateMember(ben, cy, { roleId }));
    await refused(firm, 'forbidden', only, () =>
      addMember(ben, { email: 'dee@x.example', name: 'Dee', roleId }),
    );
    await refused(firm, 'forbidden', only, () => updateMember(ben, ada, { email: 'x@x.example' }));
    await refused(firm, 'forbidden', only, () => setActive(ben, ada, false));
    expect((await updateMember(as(firm, owner), cy, { roleId })).role).toBe('Owner');
    await refused(firm, 'forbidden', only, () => setActive(ben, cy, false));
    expect((await setActive(as(firm, owner), cy, false)).deactivatedAt).not.toBeNull();
    await refused(firm, 'forbidden', only, () => setActive(ben, cy, true));
    // The last owner neither: the terminal says so, where nobody is oneself.
    await refused(firm, 'conflict', 'deactivate themselves', () =>
      setActive(as(firm, owner), ada, false),
    );
  });

  test('nobody gives a role that holds more than their own, and what they do is in the audit log under their name', async () => {
    const firm = await makeAdministered();
    const ben = as(firm, attorney);
    const attorneys = await idOfRole(firm, 'Attorney');
    const bookkeepers = await idOfRole(firm, 'Bookkeeper');
    const input = { email: 'dee@x.example', name: 'Dee Roe' };
    const more = 'more than your own role allows: ';
    await refused(firm, 'forbidden', more, () => addMember(ben, { ...input, roleId: attorneys }));
    const dee = await addMember(ben, { ...input, roleId: bookkeepers });
    await refused(firm, 'forbidden', more, () => updateMember(ben, dee.id, { roleId: attorneys }));
    const changed = await updateMember(ben, dee.id, { email: ' Dee.Roe@x.example', name: 'Dee R' });
    expect(changed).toMatchObject({ email: 'dee.roe@x.example', name: 'Dee R' });
    expect(await auditOf(firm, dee.id)).toMatchObject([
      { action: 'create', memberId: firm.members[attorney], keyId: null },
      { action: 'update', memberId: firm.members[attorney], keyId: null },
    ]);
    await refused(firm, 'conflict', 'this email address already', () =>
      updateMember(ben, dee.id, { email: bookkeeper }),
    );
    await refused(firm, 'invalid_request', 'email must be', () =>
      updateMember(ben, dee.id, { email: 'nobody' }),
    );
    await refused(firm, 'not_found', 'No member', () => setActive(ben, unknownId, false));
    const elsewhere = await makeFirm(server);
    await refused(elsewhere, 'not_found', 'No member', () =>
      setActive(as(elsewhere, owner), dee.id, false),
    );
    await setActive(as(firm, owner), firm.members[attorney] as string, false);
    await refused(firm, 'forbidden', more, () => updateMember(ben, dee.id, { name: 'X' }));
  });
});

describe('Roles', () => {
  test('are made, changed and removed with no more than one holds, and not while a member has them', async () => {
    const firm = await makeAdministered();
    const [ada, ben] = [as(firm, owner), as(firm, attorney)];
    const clerk = await createRole(ben, { name: ' Clerk ', permissions: ['leads:read'] });
    expect(clerk).toMatchObject({ name: 'Clerk', permissions: ['leads:read'], holdsAll: false });
    const more = 'more than your own role allows: matters:read';
    await refused(firm, 'forbidden', more, () =>
      createRole(ben, { name: 'X', permissions: ['leads:read', 'matters:read'] }),
    );
    await refused(firm, 'forbidden', more, () =>
      updateRole(ben, clerk.id, { permissions: ['matters:read'] }),
    );
    await refused(firm, 'conflict', 'this name already', () =>
      createRole(ada, { name: 'Clerk', permissions: [] }),
    );
    const owners = await idOfRole(firm, 'Owner');
    await refused(firm, 'conflict', 'cannot be changed', () => updateRole(ada, owners, {}));
    await refused(firm, 'conflict', 'cannot be changed', () => removeRole(ada, owners));
    const held = await idOfRole(firm, 'Bookkeeper');
    await refused(firm, 'conflict', 'Give them another role', () => removeRole(ada, held));
    await refused(firm, 'forbidden', 'more than', async () =>
      removeRole(ben, await idOfRole(firm, 'Attorney')),
    );
    await removeRole(ben, clerk.id);
    expect((await listRoles(ada)).map(({ name }) => name)).not.toContain('Clerk');
    await refused(firm, 'not_found', 'no such role', () =>
      updateMember(ada, firm.members[bookkeeper] as string, { roleId: clerk.id }),
    );
    const again = await createRole(ada, { name: 'Clerk', permissions: [] });
    expect(again.id).not.toBe(clerk.id);
  });
});

describe('Lead stages', () => {
  test('are made, renamed, put in order and removed; one that holds leads stays', async () => {
    const firm = await makeFirm(server);
    const ada = as(firm, owner);
    const id = await leadStageList.add(ada, 'Hired soon');
    await leadStageList.rename(ada, id, 'Meeting booked');
    const { New: first = '', Contacted: second = '' } = firm.leadStages;
    await leadStageList.order(ada, [id, second, first]);
    const names = async () => (await leadStageList.all(ada)).map(({ name }) => name);
    expect(await names()).toEqual(['Meeting booked', 'Contacted', 'New']);
    const made = await firm.owner.post('/v1/leads', { lastName: 'Quill' });
    expect(made.body.data.leadStage?.id ?? made.body.data.leadStageColumnId).toBe(id);
    for (const ids of [
      [id, second],
      [id, second, second],
      [id, second, first, unknownId],
    ]) {
      await refused(firm, 'invalid_request', 'once', () => leadStageList.order(ada, ids));
    }
    await refused(firm, 'conflict', 'already', () => leadStageList.rename(ada, id, 'New'));
    await refused(firm, 'conflict', 'still holds leads', () => leadStageList.remove(ada, id));
    const path = `/v1/leads/${made.body.data.id}`;
    await firm.owner.patch(path, { leadStageColumnId: first });
    await leadStageList.remove(ada, id);
    expect(await names()).toEqual(['Contacted', 'New']);
    expectRefusal(
      await firm.owner.patch(path, { leadStageColumnId: id }),
      404,
      'not_found',
      'leadStageColumnId',
    );
    await leadStageList.add(ada, 'Meeting booked');
    expect(await names()).toEqual(['Contacted', 'New', 'Meeting booked']);
  });

  test('of removals and new leads at the same moment, no lead ends in a stage that is gone', async () => {
    const firm = await makePatientFirm(server);
    const ada = as(firm, owner);
    for (let round = 0; round < 8; round += 1) {
      const id = await leadStageList.add(ada, `Stage ${round}`);
      const lead = { lastName: 'Quill', leadStageColumnId: id };
      const [removed, ...answers] = await Promise.all([
        leadStageList.remove(ada, id).then(
          () => true,
          () => false,
        ),
        ...Array.from({ length: 3 }, () => firm.owner.post('/v1/leads', lead)),
      ]);
      // If the removal came first, all are refused. If a lead came first, the stage stays for the
      // others.
      expect(answers.map(({ status }) => status)).toEqual(answers.map(() => (removed ? 404 : 201)));
    }
  });
});

describe('Custom fields', () => {
  test('are made, renamed and given other options; the type is fixed', async () => {
    const firm = await makeFirm(server);
    const ada = as(firm, owner);
    const source = { appliesTo: 'LEAD' as const, name: 'Source', type: 'SELECT' as const };
    const { id } = await createCustomField(ada, { ...source, options: ['Web', 'Friend'] });
    const set = (value: string) =>
      firm.owner.post('/v1/leads', { lastName: 'Quill', customFields: { Origin: value } });
    await updateCustomField(ada, id, { name: 'Origin', options: ['Friend', 'Fair'] });
    expect((await set('Fair')).status).toBe(201);
    expectRefusal(await set('Web'), 400, 'invalid_custom_field', 'Origin');
    await refused(firm, 'invalid_request', 'options', () =>
      updateCustomField(ada, id, { options: [] }),
    );
    await refused(firm, 'conflict', 'already', () =>
      createCustomField(ada, { ...source, name: 'Origin', options: ['A'] }),
    );
    await refused(firm, 'invalid_request', 'options', () =>
      createCustomField(ada, { ...source, type: 'TEXT' as never, name: 'T', options: ['A'] }),
    );
    await refused(firm, 'not_found', 'custom field', () =>
      updateCustomField(ada, unknownId, { name: 'X' }),
    );
  });
});

describe('Number formats', () => {
  test('a preview shows the next three numbers, those left out that are taken, and they are what comes', async () => {
    const firm = await makeFirm(server, { numbering: { lead: 'L-1{#}' } });
    const ada = as(firm, owner);
    const lead = async () =>
      (await firm.owner.post('/v1/leads', { lastName: 'Quill' })).body.data.publicId;
    for (let made = 0; made < 9; made += 1) await lead();
    expect(await previewNumbers(ada, 'lead', 'L-{#}')).toEqual(['L-10', 'L-20', 'L-21']);
    await setNumberFormat(ada, 'lead', ' L-{#} ');
    expect([await lead(), await lead(), await lead()]).toEqual(['L-10', 'L-20', 'L-21']);
    expect(await previewNumbers(ada, 'matter', '{##}')).toEqual(['01', '02', '03']);
    await refused(firm, 'invalid_request', 'one counter', () => setNumberFormat(ada, 'lead', 'L'));
  });
});

describe('API keys', () => {
  test('a member makes, rotates and revokes their own, with no more than their role allows', async () => {
    const firm = await makeAdministered();
    const [ada, ben] = [as(firm, owner), as(firm, attorney)];
    const input = { memberId: firm.members[attorney] as string, name: 'Form', expiresAt: null };
    const made = await createKey(ben, { ...input, scopes: ['leads:read'] });
    await refused(firm, 'forbidden', 'does not allow matters:read', () =>
      createKey(ben, { ...input, scopes: ['leads:read', 'matters:read'] }),
    );
    await refused(firm, 'invalid_request', 'members:write', () =>
      createKey(ben, { ...input, scopes: ['members:write'] }),
    );
    await refused(firm, 'forbidden', 'not yours', () =>
      createKey(ada, { ...input, scopes: ['leads:read'] }),
    );
    await refused(firm, 'forbidden', 'not yours', () => rotateKey(ada, made.id, 0));
    await refused(firm, 'forbidden', 'not yours', () => rotateKey(ben, firm.owner.keyId, 0));
    const next = await rotateKey(ben, made.id, 0);
    expect((await revokeKey(ada, next.id)).revokedAt).toBeInstanceOf(Date);
    expect((await revokeKey(ben, firm.owner.keyId)).revokedAt).toBeInstanceOf(Date);
  });
});
