import { type ReactNode, useState } from 'react';
import type { AvailabilityDto, LocationDayDto, Operations, SlotDto } from '../../lib/api.js';
import { everyOf } from '../../lib/every.js';
import { useAct } from '../../lib/queries.js';
import { Failure } from '../../parts/conditions.js';
import { Dialog } from '../../parts/dialog.js';
import { dropKey, keptKey } from './kept-key.js';
import { ThereAndThen } from './parts.js';

type Lab = Operations['searchAvailabilityAsOperator']['body']['lab'];
const labs = everyOf<Lab>()(['quest', 'sonora_quest']);
const MAX_SLOTS = 40;

interface Offer {
  readonly site: LocationDayDto['location'];
  readonly slot: SlotDto;
}

function offersOf(answer: AvailabilityDto): Offer[] {
  return answer.slots
    .flatMap(({ location, slots }) => slots.map((slot) => ({ site: location, slot })))
    .filter(({ slot }) => slot.bookable && slot.booking_key !== null)
    .slice(0, MAX_SLOTS);
}

/** Finds slots near a zip code, and books one or moves the appointment to it. */
export function Book({
  orderId,
  isMove,
  onClose,
}: {
  readonly orderId: string;
  readonly isMove: boolean;
  readonly onClose: () => void;
}): ReactNode {
  const [zip, setZip] = useState('');
  const [lab, setLab] = useState<Lab>('quest');
  const search = useAct('searchAvailabilityAsOperator');
  const book = useAct('bookAppointment');
  const move = useAct('rescheduleAppointment');
  const act = isMove ? move : book;
  const offers = search.data ? offersOf(search.data) : null;
  const take = ({ slot }: Offer): void => {
    const body = { booking_key: slot.booking_key ?? '' };
    const name = `book ${orderId} ${body.booking_key}`;
    const done = (): void => {
      dropKey(sessionStorage, name);
      onClose();
    };
    const path = { order_id: orderId };
    if (isMove) move.mutate({ path, body }, { onSuccess: done });
    else {
      const idempotencyKey = keptKey(sessionStorage, name, () => crypto.randomUUID());
      book.mutate({ path, body, idempotencyKey }, { onSuccess: done });
    }
  };
  return (
    <Dialog title={isMove ? 'Move the appointment' : 'Book an appointment'} isBusy={act.isPending} onClose={onClose}>
      <form
        className="line"
        onSubmit={(event) => {
          event.preventDefault();
          search.mutate({ body: { lab, zip_code: zip, radius: 25 } });
        }}
      >
        <label className="filter">
          <span>zip code</span>
          <input
            value={zip}
            inputMode="numeric"
            pattern="\d{5}"
            required
            onChange={(event) => setZip(event.target.value)}
          />
        </label>
        <label className="filter">
          <span>lab</span>
          <select value={lab} onChange={(event) => setLab(labs.find((one) => one === event.target.value) ?? 'quest')}>
            {labs.map((one) => (
              <option key={one} value={one}>
                {one.replaceAll('_', ' ')}
              </option>
            ))}
          </select>
        </label>
        <button type="submit" disabled={search.isPending}>
          {search.isPending ? 'Searching' : 'Search slots'}
        </button>
      </form>
      {search.isError && <Failure error={search.error} />}
      {act.isError && <Failure error={act.error} kept="Retrying the same slot never books it twice." />}
      {offers?.length === 0 && <p className="empty">No slot is free within 25 miles. Try another zip code.</p>}
      {offers && offers.length > 0 && (
        <ul className="offers">
          {offers.map((offer) => (
            <li key={`${offer.site?.code} ${offer.slot.booking_key}`}>
              <ThereAndThen at={offer.slot.start} zone={offer.site?.iana_timezone ?? null} />
              <span className="site">{offer.site?.name ?? offer.site?.code ?? 'site'}</span>
              <button type="button" disabled={act.isPending} onClick={() => take(offer)}>
                {isMove ? 'Move here' : 'Book'}
              </button>
            </li>
          ))}
        </ul>
      )}
      <div className="line end">
        <button type="button" disabled={act.isPending} onClick={onClose}>
          Close
        </button>
      </div>
    </Dialog>
  );
}
