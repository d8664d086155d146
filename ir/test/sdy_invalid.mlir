// RUN: opbyop-opt --split-input-file --verify-diagnostics %s

func.func @mesh(%a: tensor<8xf32>) {
  // expected-error @+1 {{names mesh @nope, which the module does not define}}
  %0 = sdy.sharding_constraint %a <@nope, [{}]> : tensor<8xf32>
  return
}

// -----

sdy.mesh @m = <["x"=2]>
func.func @rank(%a: tensor<8xf32>) {
  // expected-error @+1 {{shards 2 dimensions of a value of rank 1}}
  %0 = sdy.reshard %a <@m, [{"x"}, {}]> : tensor<8xf32>
  return
}

// -----

sdy.mesh @m = <["x"=2]>
func.func @axis(%a: tensor<8xf32>) {
  // expected-error @+1 {{names axis "q", which is not one of mesh}}
  %0 = sdy.all_slice [{"q"}] %a out_sharding=<@m, [{"q"}]> : tensor<8xf32>
  return
}

// -----

sdy.mesh @m = <["x"=2]>
func.func @twice(%a: tensor<8x8xf32>) {
  // expected-error @+1 {{twice}}
  %0 = sdy.sharding_constraint %a <@m, [{"x"}, {"x"}]> : tensor<8x8xf32>
  return
}

// -----

sdy.mesh @m = <["x"=4]>
func.func @part(%a: tensor<8xf32>) {
  // expected-error @+1 {{of axis "x", which has size 4}}
  %0 = sdy.sharding_constraint %a <@m, [{"x":(1)3}]> : tensor<8xf32>
  return
}

// -----

sdy.mesh @m = <["x"=2]>
// expected-error @+1 {{argument 0: 'sdy.sharding' shards 2 dimensions of a value of rank 1}}
func.func @argument(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {}]>}) {
  return
}

// -----

sdy.mesh @m = <["x"=2]>
func.func @per_value(%a: tensor<8xf32>) {
  // expected-error @+1 {{expected #sdy.sharding_per_value}}
  %0 = stablehlo.negate %a {sdy.sharding = #sdy.sharding<@m, [{}]>} : tensor<8xf32>
  return
}

// -----

sdy.mesh @m = <["x"=2]>
func.func @local(%a: tensor<8xf32>) {
  // expected-error @+1 {{operand 0 is 'tensor<8xf32>' outside, so that one device holds 'tensor<4xf32>', but the region has 'tensor<8xf32>'}}
  %0 = sdy.manual_computation(%a) in_shardings=[<@m, [{"x"}]>] out_shardings=[<@m, [{}]>] manual_axes={"x"} (%b: tensor<8xf32>) {
    sdy.return %b : tensor<8xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  return
}

// -----

// expected-error @+1 {{axis "x" has size 0, expected at least 1}}
sdy.mesh @zero = <["x"=0]>

// -----

// expected-error @+1 {{axis "x" twice}}
sdy.mesh @twice = <["x"=2, "x"=2]>

// -----

// expected-error @+1 {{expected a priority, p0 or p1 and so on}}
func.func @priority() attributes {a.b = #sdy.sharding<@m, [{}q1]>} { return }

// -----

sdy.mesh @maximal = <[], device_ids=[0]>
func.func @maximal(%a: tensor<8xf32>) {
  // expected-error @+1 {{has 2 shardings for 0 values}}
  stablehlo.custom_call @log(%a) {has_side_effect = true, sdy.sharding = #sdy.sharding_per_value<[<@maximal, []>, <@maximal, []>]>} : (tensor<8xf32>) -> ()
  return
}

// -----

sdy.mesh @m = <["x"=2]>
func.func @no_mesh_of_one(%a: tensor<8xf32>) {
  // expected-error @+1 {{shards 0 dimensions of a value of rank 1}}
  %0 = sdy.sharding_constraint %a <@m, []> : tensor<8xf32>
  return
}

// -----

// expected-error @+1 {{expected sum, max or min, or axes}}
func.func @reduction() attributes {a.b = #sdy.sharding<@m, [{}], unreduced=mean{"x"}>} { return }

// -----

// expected-error @+1 {{expected at least one element}}
func.func @edges() attributes {a.b = #sdy.propagation_edges<[{step-0 = []}]>} { return }

// -----

// expected-error @+1 {{expected '-' before a number}}
func.func @step() attributes {a.b = #sdy.propagation_edges<[{step 1 = [{"y" = operand-1 -> [operand-0]}]}]>} { return }
