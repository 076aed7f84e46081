#include "asked_model.hpp"
#include "commands.hpp"
#include "interrupt.hpp"

namespace saltus::tool {

int flatten_command(const Console& console, const ModelChoice& choice) {
  const WorkLimits limits{&watch_interrupts(), std::nullopt};
  const Result<Model> model = load_model(request_of(choice), limits);
  if (!model) {
    console.print(model.error());
    return exit_code_of(model.error());
  }
  console.print(model->warnings());
  return finish_output(console, flat_text(*model), kExitSuccess);
}

}  // namespace saltus::tool
