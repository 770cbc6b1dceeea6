// How many requests each endpoint has answered, with what status and how fast. handle.ts adds to these with every reply, at
// the cost of a map lookup and a few additions. Counted by the endpoint's own path, never by the requested one: whatever
// clients send, there is one row for each endpoint, and one for all requests that match none.
import { Distribution } from '../../engine/index.ts';

/** Few, since each endpoint has a counter for every bucket. */
const SECONDS = [0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.1, 0.5, 2.5];
/** For a client that disconnected before there was a reply: nginx's status for it, which is never sent. */
export const GONE_STATUS = 499;
const STATUS_MAX = 599;
/** Method and path of requests that match no endpoint. No endpoint has this path, since paths begin with a slash. */
const NONE = 'none';

/** An endpoint. The map below uses it as its key by identity, so no request builds a text from method and path. */
interface Route {
  readonly method: string;
  /** With its `{name}` parts. */
  readonly path: string;
}

/** The replies to requests of one endpoint. */
interface RouteFigures {
  readonly labels: { readonly method: string; readonly route: string };
  /** Number of replies by status. */
  readonly statuses: Float64Array;
  readonly seconds: Distribution;
}

const figuresOf = (method: string, path: string): RouteFigures => ({
  labels: { method, route: path },
  statuses: new Float64Array(STATUS_MAX + 1),
  seconds: new Distribution(SECONDS),
});

export class RequestFigures {
  private readonly byEndpoint = new Map<Route, RouteFigures>();
  private readonly others = figuresOf(NONE, NONE);

  /** Counts a request that was answered, or whose client disconnected; no endpoint if it was refused before one was found. */
  answered(endpoint: Route | undefined, status: number, tookMs: number): void {
    const { statuses, seconds } = endpoint === undefined ? this.others : this.of(endpoint);
    statuses[status] += 1;
    seconds.add(tookMs / 1000);
  }

  /** The endpoints requested so far, and the row of requests that match none. */
  get routes(): readonly RouteFigures[] {
    return [this.others, ...this.byEndpoint.values()];
  }

  private of(endpoint: Route): RouteFigures {
    let figures = this.byEndpoint.get(endpoint);
    if (figures === undefined) {
      figures = figuresOf(endpoint.method, endpoint.path);
      this.byEndpoint.set(endpoint, figures);
    }
    return figures;
  }
}
