/** The caller's request id if it is a sane one, else a new one (docs/contract.md, Additions). */
export const requestIdOf = (request: Request): string => {
  const given = request.headers.get('x-request-id');
  return given && /^[\w.:-]{1,64}$/.test(given) ? given : Bun.randomUUIDv7();
};
