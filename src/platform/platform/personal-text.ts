/** At the end of a phone number: an extension, written out or not. */
const extension = /\s*(?:ext\.?|x|#)\s*\p{Nd}{1,6}$/u;
const scheme = /^(?:mailto|tel|sms|callto):(?:\/\/)?/;

/** Anything@name.letters, wherever it stands: an id that holds an address holds personal data. */
const emailAddress = /[^\s@<>"]+@(?:[^\s@.<>"]+\.)+(?:\p{L}{2,}|xn--[a-z0-9-]+)/u;
const localAddress = /^[^\s@]+@(?:localhost|\[[0-9a-f.:]+\])$/u;

const phoneSigns = /^[\p{Nd}+\-.()/\s\u2010-\u2015]+$/u;
/** The fewest digits with which a number can be dialled from abroad, and the most (E.164). */
const phoneDigits = { least: 7, most: 15 };

/**
 * True for an id that is an e-mail address or a phone number written with + or separators: upstream wants no personal
 * data in its `client_user_id`. Plain digits are a common local id and pass (interface 3.3). Escapes, full-width forms,
 * `mailto:` and `tel:` do not hide one.
 */
export function looksPersonal(accountId: string): boolean {
  const plain = unescaped(accountId).normalize('NFKC').trim().toLowerCase().replace(scheme, '');
  return emailAddress.test(plain) || localAddress.test(plain) || isWrittenPhoneNumber(plain.replace(extension, ''));
}

function isWrittenPhoneNumber(plain: string): boolean {
  if (!phoneSigns.test(plain)) return false;
  const digits = plain.match(/\p{Nd}/gu)?.length ?? 0;
  return digits < plain.length && digits >= phoneDigits.least && digits <= phoneDigits.most;
}

function unescaped(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
