export interface Place {
  readonly href: string;
  readonly name: string;
}

const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Pages that an id may belong to, most likely first: upstream ids are UUIDs, message ids begin with msg_. */
export function placesFor(text: string): Place[] {
  if (text === '') return [];
  const id = encodeURIComponent(text);
  const account = { href: `/accounts/${id}`, name: `Account ${text}` };
  const order = { href: `/orders/${id}`, name: `Order ${text}` };
  const message = { href: `/messages/${id}`, name: `Message ${text}` };
  if (text.startsWith('msg_')) return [message, account];
  return uuid.test(text) ? [order, account, message] : [account, message];
}
