import CLibFuzzer

// TiffinLiveFuzz <target> [libFuzzer arguments]: the first argument picks the decoder, libFuzzer gets the others.
guard FuzzTarget.selected != nil else {
    print("usage: TiffinLiveFuzz <target> [libFuzzer arguments]\ntargets:")
    for target in FuzzTarget.allCases { print("  \(target.rawValue)") }
    FuzzTarget.exitAsMisused()
}

var argumentCount = CommandLine.argc - 1
var arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = CommandLine.unsafeArgv + 1
arguments?.pointee = CommandLine.unsafeArgv.pointee

_ = LLVMFuzzerRunDriver(&argumentCount, &arguments) { data, size in
    FuzzTarget.selected?.run(UnsafeRawBufferPointer(start: data, count: size))
    return 0
}
