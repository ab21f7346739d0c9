export interface Place {
  readonly href: string;
  readonly name: string;
}

const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Where an id may lead, the likeliest place first: ids of upstream are UUIDs, those of messages begin with msg_. */
export function placesFor(text: string): Place[] {
  if (text === '') return [];
  const id = encodeURIComponent(text);
  const account = { href: `/accounts/${id}`, name: `Account ${text}` };
  const order = { href: `/orders/${id}`, name: `Order ${text}` };
  const message = { href: `/messages/${id}`, name: `Message ${text}` };
  if (text.startsWith('msg_')) return [message, account];
  return uuid.test(text) ? [order, account, message] : [account, message];
}
