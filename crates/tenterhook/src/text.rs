//! Makes hook text safe to show and to inject. Pure: reads and writes nothing.
