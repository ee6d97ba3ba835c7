// Server-sent events read from the body of a fetch, because EventSource cannot send a token.

const MAX_EVENT = 8_000_000; // characters

// Yield [event, data] pairs from a text/event-stream body.
export async function* eventsOf(response) {
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  try {
    for (;;) {
      const { value, done } = await reader.read();
      if (done) return;
      rest += value;
      if (rest.endsWith("\r")) continue; // its line feed may follow in the next chunk
      const blocks = rest.replace(/\r\n?/g, "\n").split("\n\n");
      rest = blocks.pop();
      if (rest.length > MAX_EVENT) throw new Error("An event of the server is too long.");
      for (const block of blocks) yield eventOf(block);
    }
  } finally {
    reader.cancel().catch(() => {});
  }
}

function eventOf(block) {
  let event = "message";
  const data = [];
  for (const line of block.split("\n")) {
    const [, field, value] = /^([^:]*):? ?(.*)$/.exec(line);
    if (field === "event") event = value;
    else if (field === "data") data.push(value);
  }
  return [event, data.join("\n")];
}
