/** A phone number and a mail address are found however they are written (docs/contract.md, Records). */
import { describe, expect, test } from 'bun:test';
import {
  addressForms,
  addressKey,
  isSamePhone,
  phoneReader,
  type ReadPhone,
} from '../../src/contacts/same-address.ts';
import { type Firm, makeFirm, owner, startTestServer } from '../support/firm.ts';
import { visitorOf } from '../support/visitor.ts';

const server = await startTestServer();
const island = { 'x-sent-by': 'island', accept: 'application/json' };

const find = async ({ owner: api }: Firm, q: string) =>
  (await api.get(`/v1/search?q=${encodeURIComponent(q)}`)).body.data.map(
    ({ title }: { title: string }) => title,
  );

describe('A phone number', () => {
  const ways = [
    '(555) 010-0199',
    '+1 555 010 0199',
    '555.010.0199',
    '1-555-010-0199',
    '5550100199',
  ];

  test.each(ways)('stored as %s is found in each way that people write it', async (stored) => {
    const firm = await makeFirm(server, { timeZone: 'America/New_York' });
    await firm.owner.post('/v1/contacts', { lastName: 'Quill', phones: [stored] });
    await firm.owner.post('/v1/contacts', { lastName: 'Other', phones: ['+1 555 010 0198'] });
    for (const typed of ways) expect([typed, await find(firm, typed)]).toEqual([typed, ['Quill']]);
    const read = await firm.owner.get('/v1/contacts');
    expect(read.body.data[1].phones[0].number).toBe(stored);
  });

  test('is read as in the country of the firm’s time zone', async () => {
    const firm = await makeFirm(server, { timeZone: 'Europe/London' });
    await firm.owner.post('/v1/leads', { lastName: 'Vane', phone: '020 7946 0018' });
    await firm.owner.post('/v1/leads', { lastName: 'Rook', phone: '+44 (0)20 7946 0019' });
    for (const typed of ['+44 20 7946 0018', '02079460018', '0044 20 7946 0018'])
      expect([typed, await find(firm, typed)]).toEqual([typed, ['Vane', 'Vane']]);
    expect(await find(firm, '020 7946 0019')).toEqual(['Rook', 'Rook']);
  });

  test('tells who is known, and not somebody with the same digits in another country', async () => {
    const firm = await makeFirm(server, { timeZone: 'Europe/London' });
    const ada = await visitorOf(server, firm, owner);
    await firm.owner.post('/v1/leads', { lastName: 'Vane', phone: '020 7946 0018' });
    const known = async (phone: string) =>
      (await ada.post('/leads/known', { lastName: 'X', phone }, island)).text;
    expect(await known('+44 20 7946 0018')).toContain('Vane');
    expect(await known('+49 20 7946 0018')).not.toContain('Vane');
    expect(await known('20 7946')).not.toContain('Vane');
  });

  test('that no country could have is compared by its last ten digits', async () => {
    const read = await phoneReader('UTC');
    const isSame = (one: string, other: string) => isSamePhone(read(one), read(other));
    expect(read('(555) 010-0199').e164).toBe('+15550100199');
    expect(read('00 999 999 12345 67890 12345')).toMatchObject({
      e164: undefined,
      lastDigits: '6789012345',
    });
    expect(isSame('(555) 010-0199', '+1 555 010 0199')).toBe(true);
    expect(isSame('07700 900142', '+44 7700 900142')).toBe(true);
    expect(isSame('00 999 999 12345 67890 12345', '67890-12345')).toBe(true);
    expect(isSame('+1 770 090 0142', '+44 7700 900142')).toBe(false);
    const nothing: ReadPhone = {
      e164: undefined,
      lastDigits: undefined,
      digits: undefined,
      extension: undefined,
    };
    for (const none of ['call me', '', '12', '٪', 'x'.repeat(100_000)]) {
      expect(read(none)).toEqual(nothing);
      expect(isSame(none, none)).toBe(false);
    }
  });

  test.each([
    ['America/New_York', 'US/Eastern', '+15550100199', '555 010 0199'],
    ['Europe/Berlin', 'Europe/Berlin', '+491711234567', '0171 1234567'],
    ['Asia/Kolkata', 'Asia/Calcutta', '+919876543210', '98765 43210'],
    ['Europe/Kyiv', 'Europe/Kiev', '+380441234567', '044 123 4567'],
    ['America/Toronto', 'America/Toronto', '+14165550199', '(416) 555-0199'],
  ])('in a firm of %s (or %s) is %s if it is written %s', async (zone, alias, key, written) => {
    for (const read of [await phoneReader(zone), await phoneReader(alias)]) {
      expect(read(written).e164).toBe(key);
    }
  });
});

describe('A mail address', () => {
  const ways = ['zoe@bücher.example', 'Zoe@BÜCHER.example', 'zoe@xn--bcher-kva.example'];

  test.each(ways)(
    'stored as %s is found and known in each way that people write it',
    async (email) => {
      const firm = await makeFirm(server);
      const ada = await visitorOf(server, firm, owner);
      await firm.owner.post('/v1/contacts', { lastName: 'Quill', emails: [email] });
      await firm.owner.post('/v1/contacts', { lastName: 'Other', emails: ['zoe@other.example'] });
      for (const typed of ways) {
        expect([typed, await find(firm, typed)]).toEqual([typed, ['Quill']]);
        const known = await ada.post('/leads/known', { lastName: 'X', email: typed }, island);
        expect(known.text).toContain('Quill');
        expect(known.text).not.toContain('Other');
      }
    },
  );

  test('is the same in lower case with its domain in ASCII, and what is none is compared with none', () => {
    expect(new Set(ways.map(addressKey))).toEqual(new Set(['zoe@xn--bcher-kva.example']));
    expect(['', 'a@', '@b.c', 'a b@c.d', 'a@b', 'nobody'].map(addressKey)).toEqual(
      Array(6).fill(undefined),
    );
    expect(addressForms(ways[0] ?? '')).toEqual([ways[2], ways[0]] as string[]);
  });
});
