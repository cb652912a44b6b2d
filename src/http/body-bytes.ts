import { Refusal } from '../base/refusal.ts';

/** A body of more bytes than this is large. */
export const largeBytes = 1024 * 1024;

// A body that arrives more slowly than this, or stops in the middle, is cut off.
const paceMilliseconds = 10_000;
const paceBytes = 256 * 1024;
const smallWithinMilliseconds = 20_000;

/**
 * Reads a body, up to a limit: its stated length may be missing. Throws `Refusal` if it arrives too
 * slowly, and `tooLarge(limitBytes)` over the limit.
 */
export const bytesOf = async (
  request: Request,
  limitBytes: number,
  tooLarge: (limitBytes: number) => Refusal,
): Promise<Uint8Array<ArrayBuffer>> => {
  const stated = request.headers.get('content-length');
  if (Number(stated ?? 0) > limitBytes) throw tooLarge(limitBytes);
  if (stated !== null && Number(stated) <= largeBytes) return smallBytesOf(request);
  const chunks: Uint8Array[] = [];
  let length = 0;
  const slow = Promise.withResolvers<never>();
  let lengthBefore = 0;
  const pace = setInterval(() => {
    if (length - lengthBefore < paceBytes) slow.reject(tooSlow());
    lengthBefore = length;
  }, paceMilliseconds);
  const reader = (request.body as ReadableStream<Uint8Array>).getReader();
  try {
    for (;;) {
      const { done, value } = await Promise.race([reader.read(), slow.promise]);
      if (done) return Buffer.concat(chunks.splice(0));
      length += value.byteLength;
      if (length > limitBytes) throw tooLarge(limitBytes);
      chunks.push(value);
    }
  } catch (error) {
    reader.cancel().catch(() => {});
    throw error;
  } finally {
    clearInterval(pace);
  }
};

const smallBytesOf = async (request: Request): Promise<Uint8Array<ArrayBuffer>> => {
  const slow = Promise.withResolvers<never>();
  const timer = setTimeout(() => slow.reject(tooSlow()), smallWithinMilliseconds);
  try {
    return new Uint8Array(await Promise.race([request.arrayBuffer(), slow.promise]));
  } finally {
    clearTimeout(timer);
  }
};

const tooSlow = () =>
  new Refusal(
    'invalid_request',
    'The request body arrived too slowly or was incomplete. Send it again, all at once.',
    { connection: 'close' },
  );
