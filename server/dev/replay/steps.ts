// Cuts one market's rows into steps: rows that can be sent concurrently because they neither touch the same level nor cross
// one another, and prints, which stand alone. Pure; called by the market's player before each step. It must never reorder
// two rows if the book could tell the difference.
import { ORDERS_PER_BATCH_MAX } from '../../wire/orderRequests.ts';
import type { FlowRow, LevelRow, PrintRow } from './flowFile.ts';
import type { RestingOrders } from './restingOrders.ts';

/** A row and its index in the whole file, from 0. */
export interface PlacedRow {
  readonly row: FlowRow;
  readonly index: number;
}

/** The next step, and the number of the market's rows in it. */
type Step =
  | { readonly kind: 'levels'; readonly rows: readonly LevelRow[]; readonly rowCount: number }
  | { readonly kind: 'print'; readonly row: PrintRow; readonly rowCount: 1 };

/** Most rows in one step, whose orders are sent in one request. */
export const STEP_ROWS_MAX = ORDERS_PER_BATCH_MAX;

/** The rows collected for a step, and the levels that they would put into the book. */
class StepCollector {
  readonly rows: LevelRow[] = [];
  private readonly touched = new Set<string>();
  private highestBidPips = 0;
  private lowestAskPips = Number.POSITIVE_INFINITY;

  accepts(row: LevelRow, resting: RestingOrders): boolean {
    if (this.rows.length === 0) return true;
    if (this.rows.length >= STEP_ROWS_MAX || this.touched.has(row.side + row.pricePips)) return false;
    if (row.levelLots === 0) return true;
    const crossesCollected =
      row.side === 'B' ? row.pricePips >= this.lowestAskPips : row.pricePips <= this.highestBidPips;
    return !crossesCollected && !resting.wouldCross(row.side, row.pricePips);
  }

  add(row: LevelRow): void {
    this.rows.push(row);
    this.touched.add(row.side + row.pricePips);
    if (row.levelLots === 0) return;
    if (row.side === 'B') this.highestBidPips = Math.max(this.highestBidPips, row.pricePips);
    else this.lowestAskPips = Math.min(this.lowestAskPips, row.pricePips);
  }
}

/**
 * The step that starts at `from`. A row that crosses resting orders is a step of its own, so it meets exactly the book that
 * the rows before it made. A checkpoint row ends its step.
 * @param resting the market's orders before the step
 */
export function takeStep(
  rows: readonly PlacedRow[],
  from: number,
  resting: RestingOrders,
  isCheckpoint: (index: number) => boolean,
): Step {
  const first = rows[from].row;
  if (first.op === 'T') return { kind: 'print', row: first, rowCount: 1 };
  const collector = new StepCollector();
  for (let position = from; position < rows.length; position += 1) {
    const { row, index } = rows[position];
    if (row.op === 'T' || !collector.accepts(row, resting)) break;
    collector.add(row);
    const isAlone = row.levelLots > 0 && resting.wouldCross(row.side, row.pricePips);
    if (isAlone || isCheckpoint(index)) break;
  }
  return { kind: 'levels', rows: collector.rows, rowCount: collector.rows.length };
}
