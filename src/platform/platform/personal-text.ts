/** An extension at the end of a phone number, written out or abbreviated. */
const extension = /\s*(?:ext\.?|x|#)\s*\p{Nd}{1,6}$/u;
const scheme = /^(?:mailto|tel|sms|callto):(?:\/\/)?/;

/** anything@name.letters at any place: an id that contains an address is personal data. */
const emailAddress = /[^\s@<>"]+@(?:[^\s@.<>"]+\.)+(?:\p{L}{2,}|xn--[a-z0-9-]+)/u;
const localAddress = /^[^\s@]+@(?:localhost|\[[0-9a-f.:]+\])$/u;

const phoneSigns = /^[\p{Nd}+\-.()/\s\u2010-\u2015]+$/u;
/** Fewest digits of a number that can be dialled from abroad, and the maximum (E.164). */
const phoneDigits = { least: 7, most: 15 };

/**
 * True for an id that is an e-mail address or a phone number with + or separators, because upstream wants no personal
 * data in `client_user_id`. Plain digits pass, because they are a common form of local ids. Detects escapes, full-width
 * forms, `mailto:` and `tel:`.
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
