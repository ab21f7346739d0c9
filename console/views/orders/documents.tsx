import { type ReactNode, useState } from 'react';
import { download, type ShownOrderDto } from '../../lib/api.js';
import { useMay } from '../../lib/session.js';
import { Failure, Forbidden } from '../../parts/conditions.js';
import { Section } from '../../parts/page.js';

const documents = [
  ['requisition', 'Requisition'],
  ['labels', 'Labels'],
  ['collection-instructions', 'Collection instructions'],
  ['abn', 'Advance beneficiary notice'],
] as const;

/** The documents of an order, each read only on request; the access log records that it was read. */
export function Documents({ order: { order_id } }: { readonly order: ShownOrderDto }): ReactNode {
  const mayRead = useMay('reader');
  return (
    <Section title="Documents" note="PDFs, read from upstream now; the access log records it">
      {mayRead ? (
        <div className="line">
          {documents.map(([path, name]) => (
            <Pdf key={path} address={`/admin/v1/orders/${order_id}/${path}.pdf`} file={`${path}.pdf`}>
              {name}
            </Pdf>
          ))}
        </div>
      ) : (
        <Forbidden needed="reader" what="A document of the order" />
      )}
    </Section>
  );
}

/** A button that saves a PDF; shows why if there is none. */
export function Pdf({
  address,
  file,
  children,
}: {
  readonly address: string;
  readonly file: string;
  readonly children: ReactNode;
}): ReactNode {
  const [error, setError] = useState<unknown>(null);
  async function run(): Promise<void> {
    setError(null);
    try {
      await download(address, file);
    } catch (failure) {
      setError(failure);
    }
  }
  return (
    <>
      <button type="button" onClick={() => void run()}>
        {children}
      </button>
      {error !== null && <Failure error={error} retry={() => void run()} />}
    </>
  );
}
