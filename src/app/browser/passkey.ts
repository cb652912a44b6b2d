/** Passkeys: loaded with the first form that one signs. */
import {
  browserSupportsWebAuthn,
  startAuthentication,
  startRegistration,
  WebAuthnError,
} from '@simplewebauthn/browser';

type Options =
  | { create: Parameters<typeof startRegistration>[0]['optionsJSON'] }
  | { sign: Parameters<typeof startAuthentication>[0]['optionsJSON'] }
  | { goTo: string }
  | { error: { message: string } };

/**
 * Fetches the challenge, has a passkey sign it, and puts the answer into the form. Returns in words
 * why that failed. Returns `''` if the browser goes to another page.
 */
export const signForm = async (form: HTMLFormElement): Promise<string | undefined> => {
  if (!window.isSecureContext || !browserSupportsWebAuthn()) {
    return 'Passkeys need an https connection, and a browser that supports them.';
  }
  const options = await ask(form.dataset.passkey ?? '');
  if ('error' in options) return options.error.message;
  if ('goTo' in options) {
    location.assign(options.goTo);
    return '';
  }
  const field = form.elements.namedItem('answer') as HTMLInputElement;
  try {
    const answer =
      'create' in options
        ? await startRegistration({ optionsJSON: options.create })
        : await startAuthentication({ optionsJSON: options.sign });
    field.value = JSON.stringify(answer);
    return undefined;
  } catch (error) {
    const isKnown =
      error instanceof WebAuthnError && error.code === 'ERROR_AUTHENTICATOR_PREVIOUSLY_REGISTERED';
    if (isKnown) return 'This device has a passkey for you already.';
    return 'No passkey was used. Try again, or continue without one.';
  }
};

/** The challenge at an address. */
const ask = async (path: string): Promise<Options> => {
  const headers = { accept: 'application/json', 'x-sent-by': 'island' };
  const body = new URLSearchParams();
  const answer = await fetch(path, { method: 'POST', headers, body }).catch(() => undefined);
  const silent = { error: { message: 'The server does not answer. Try again in a moment.' } };
  return answer?.json().catch(() => silent) ?? silent;
};
