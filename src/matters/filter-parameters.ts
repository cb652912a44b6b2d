import type { Reader } from '../record/actor.ts';
import { fieldConditions, filterWords } from '../views/filter.ts';
import type { Part } from './conditions.ts';
import type { Filtering, MatterFilter } from './filter.ts';

/**
 * A filter in the form that statements take, and the parts of it that are asked: for each set of
 * parts there is a statement of its own.
 */
export const filteringOf = async (
  reader: Reader,
  { q, fields, ...plain }: MatterFilter,
): Promise<{ filtering: Filtering; parts: Part[] }> => {
  const [words, { isInIndex, ...inFields }] = await Promise.all([
    filterWords(reader, q),
    fieldConditions(reader, 'MATTER', fields),
  ]);
  const filtering = { firmId: reader.firmId, ...plain, ...words, ...inFields };
  const parts: (Part | false)[] = [
    is(plain.area, 'area', 'nothing'),
    is(plain.stage, 'stage', 'nothing'),
    is(plain.type, 'type', 'noType'),
    is(plain.responsible, 'responsible', 'noResponsible'),
    plain.role === null
      ? is(plain.member, 'member', 'noMember')
      : is(plain.member, 'memberAs', 'noMemberAs'),
    plain.limitation !== null && (`limitation ${plain.limitation}` as const),
    ...bounds.map((name) => plain[name] !== null && name),
    words.patterns.length > 0 && 'words',
    ...(isInIndex
      ? [
          inFields.fieldTexts.length > 0 && ('fieldTexts' as const),
          inFields.hasRange && ('fieldDays' as const),
        ]
      : (['fields'] as const)),
  ];
  return { filtering, parts: parts.filter((part) => part !== false) };
};

const bounds = [
  ...(['limitationFrom', 'limitationTo', 'openedFrom', 'openedTo'] as const),
  ...(['closedFrom', 'closedTo'] as const),
];

const is = (asked: string | null, id: Part, none: Part): Part | false =>
  asked !== null && (asked === 'none' ? none : id);
