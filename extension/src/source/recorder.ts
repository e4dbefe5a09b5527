/**
 * Python code that records some steps with all that the views can show. Without `activities` the
 * profiler takes all that the machine has.
 */
export const recorderSnippet = `from torch.profiler import (
    profile,
    schedule,
    tensorboard_trace_handler,
)

steps = schedule(wait=1, warmup=1, active=3)
save = tensorboard_trace_handler("./log")

with profile(
    schedule=steps,
    on_trace_ready=save,
    with_stack=True,
    record_shapes=True,
    profile_memory=True,
) as profiler:
    for batch in loader:
        train_step(batch)
        profiler.step()
`;
