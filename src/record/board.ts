export const cardsPerStage = 50;

/** A stage of a board: how many active records are in it, and the newest of them. */
export type BoardStage<Card> = { id: string; name: string; count: number; cards: Card[] };

type Stage = { id: string; name: string };
type Count = { status: string; stageId: string; count: number };

/** The stages of a board in their order, each with its count and its cards. */
export const boardOf = <Card extends { stageId: string; since: Date }>(
  stages: readonly Stage[],
  counts: readonly Count[],
  cards: readonly Card[],
): BoardStage<Card>[] => {
  const active = counts.filter(({ status }) => status === 'ACTIVE');
  const inStage = new Map(active.map(({ stageId, count }) => [stageId, count]));
  const cardsOf = Map.groupBy(cards, ({ stageId }) => stageId);
  return stages.map(({ id, name }) => ({
    id,
    name,
    count: inStage.get(id) ?? 0,
    // Postgres gives the moment as text.
    cards: (cardsOf.get(id) ?? []).map((card) => ({ ...card, since: new Date(card.since) })),
  }));
};
